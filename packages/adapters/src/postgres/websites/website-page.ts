import { COUNT_LIMIT, type WebsiteFilter } from '@hitherto/domain';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { build, type Placeholders, type Statement, statement } from '../connection/statement.ts';
import { ahead, behind, type Walk } from './website-order.ts';
import { toWebsite, WEBSITE_COLUMNS, WEBSITE_NAMES, type WebsiteRow } from './website-row.ts';
import { keyOf, type Section, type SectionRequest } from './website-section.ts';

/** The largest page that the API serves, and one to see whether there is more. */
const USUAL_ROWS = 101;

interface PageParameters {
  readonly accountId: string;
  readonly key: string;
  readonly rows: number;
}

/** A website of a page, or nothing but `null` where the page is empty; `Around` is the same in all rows. */
export type Row<Around> = Around & { neighbour: string | null } & (WebsiteRow | { id: null });

export type PageRow = Row<{ count: number }>;

type Place = 'start' | 'after' | 'up_to';

/** Reads a part of an account's whole list in one statement, and so in one snapshot. */
export async function readSection(database: Database, request: SectionRequest): Promise<Section> {
  const { accountId, order, limit, cut } = request;
  const place = cut?.side ?? 'start';
  const query = limit < USUAL_ROWS ? usual[order][place] : pageStatement(undefined, order, place, limit + 1);
  const { rows } = await database.query(query.with({ accountId, key: cut?.key ?? '', rows: limit + 1 }));
  return toSection(rows, request);
}

/**
 * The section that the rows hold: `limit + 1` of them at most, walked away from the cut, each with the key of the first
 * website on the cut's other side.
 */
export function toSection(rows: readonly PageRow[], { order, limit, cut }: SectionRequest): Section {
  const [first] = rows;
  if (first === undefined) throw new Error('A page has a row even where it is empty.');
  const found = rows.filter((row): row is PageRow & WebsiteRow => row.id !== null).map(toWebsite);
  const page = found.slice(0, limit);
  const beyond = found[limit];
  const { count } = first;
  if (cut?.side === 'up_to') {
    const before = beyond && keyOf(beyond, order);
    return { websites: page.reverse(), before, hasMore: first.neighbour !== null, count };
  }
  return { websites: page, before: first.neighbour ?? undefined, hasMore: beyond !== undefined, count };
}

/**
 * The page itself, the first key on the other side of the cut, and the capped count. All three walk an index and stop by
 * themselves; `bound` stands in the text, because a plan that is kept for any number of rows takes them for too many to
 * walk.
 */
function pageStatement(
  name: string | undefined,
  order: WebsiteFilter['order'],
  place: Place,
  bound: number,
): Statement<PageParameters, PageRow> {
  const [pageWalk, otherWalk] = place === 'up_to' ? [behind(order), ahead(order)] : [ahead(order), behind(order)];
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

function places(order: WebsiteFilter['order']): Record<Place, Statement<PageParameters, PageRow>> {
  const make = (place: Place) => pageStatement(`page_${order}_${place}`, order, place, USUAL_ROWS);
  return { start: make('start'), after: make('after'), up_to: make('up_to') };
}

const usual: Record<WebsiteFilter['order'], Record<Place, Statement<PageParameters, PageRow>>> = {
  address_asc: places('address_asc'),
  address_desc: places('address_desc'),
  newest_first: places('newest_first'),
};
