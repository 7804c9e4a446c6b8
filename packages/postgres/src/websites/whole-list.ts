import {
  COUNT_LIMIT,
  type Found,
  type PageRequest,
  type Walk,
  type WebsiteFilter,
  walksOf,
} from '@hitherto/domain/websites';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { build, type Placeholders, type Statement, statement } from '../connection/statement.ts';
import { toWebsite, WEBSITE_COLUMNS, WEBSITE_NAMES, type WebsiteRow } from './website-row.ts';

/** The largest page of the API, and one more row, to see whether there is a next page. */
const USUAL_ROWS = 101;

type Order = WebsiteFilter['order'];
type Place = 'start' | 'after' | 'up_to';

interface PageParameters {
  readonly accountId: string;
  readonly key: string;
  readonly rows: number;
}

/** A website of a page, or only `null` if the page is empty; `Around` is the same in all rows. */
export type Row<Around> = Around & { neighbour: string | null } & (WebsiteRow | { id: null });

export type PageRow = Row<{ count: number }>;

/** Reads a page of an account's whole list in one statement, and so in one snapshot. */
export async function readWhole(database: Database, accountId: string, request: PageRequest): Promise<Found> {
  const { order, limit, position } = request;
  const place = position?.side ?? 'start';
  const query = limit < USUAL_ROWS ? usual[order][place] : pageStatement(undefined, order, place, limit + 1);
  const { rows } = await database.query(query.with({ accountId, key: position?.key ?? '', rows: limit + 1 }));
  return toFound(rows);
}

/** The websites in the rows, each with the key of the first website on the other side of the position. */
export function toFound(rows: readonly PageRow[]): Found {
  const [first] = rows;
  if (first === undefined) throw new Error('A page has a row even where it is empty.');
  const websites = rows.filter((row): row is PageRow & WebsiteRow => row.id !== null).map(toWebsite);
  return { websites, neighbour: first.neighbour ?? undefined, count: first.count };
}

/**
 * The page, the first key on the other side of the position, and the capped count. All three walk an index and stop early.
 * `bound` is part of the text, because a cached plan for any number of rows would expect too many rows to walk the index.
 */
function pageStatement(
  name: string | undefined,
  order: Order,
  place: Place,
  bound: number,
): Statement<PageParameters, PageRow> {
  const position = place === 'start' ? undefined : { side: place, key: '' };
  const { page: pageWalk, other: otherWalk } = walksOf({ order, limit: bound, position });
  return statement(name, (p: Placeholders<PageParameters>) => {
    const websites = () => build.selectFrom('website').where('account_id', '=', p('accountId'));
    const walked = ({ key, compare, direction }: Walk) =>
      place === 'start'
        ? websites().orderBy(key, direction)
        : websites().where(key, compare, p('key')).orderBy(key, direction);
    const counted = websites()
      .select(sql`1`.as('one'))
      .orderBy('id')
      .limit(sql.lit(COUNT_LIMIT + 1));
    const other = walked(otherWalk)
      .select(sql<string>`${sql.ref(otherWalk.key)}`.as('neighbour'))
      .limit(sql.lit(1));
    const page = walked(pageWalk).select(WEBSITE_COLUMNS).limit(sql.lit(bound));

    return build
      .selectFrom(build.selectFrom(counted.as('website')).select(sql<number>`count(*)::int`.as('count')).as('total'))
      .leftJoinLateral(
        place === 'start' ? build.selectNoFrom(sql<string>`null::text`.as('neighbour')).as('other') : other.as('other'),
        (join) => join.onTrue(),
      )
      .leftJoinLateral(build.selectFrom(page.as('bounded')).selectAll().limit(p('rows')).as('page'), (join) =>
        join.onTrue(),
      )
      .select(['count', 'neighbour', ...WEBSITE_NAMES.map((column) => `page.${column}` as const)])
      .orderBy(`page.${pageWalk.key}`, pageWalk.direction)
      .$castTo<PageRow>();
  });
}

function places(order: Order): Record<Place, Statement<PageParameters, PageRow>> {
  const make = (place: Place) => pageStatement(`page_${order}_${place}`, order, place, USUAL_ROWS);
  return { start: make('start'), after: make('after'), up_to: make('up_to') };
}

const usual: Record<Order, Record<Place, Statement<PageParameters, PageRow>>> = {
  address_asc: places('address_asc'),
  address_desc: places('address_desc'),
  newest_first: places('newest_first'),
};
