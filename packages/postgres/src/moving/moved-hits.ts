import type { Day } from '@hitherto/domain/calendar';
import type { EngineHit, VisitorDay, WebsiteDay } from '@hitherto/domain/engine';
import { HIT_STRINGS } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { columnsOf, once } from '../connection/statement.ts';
import { toSigned } from '../journal/hit-rows.ts';
import { hitsOfDays } from '../statistics/website-days.ts';

/** About how many hits are read at once. */
const MAX_HITS = 10_000;

const STRINGS = Object.entries(HIT_STRINGS);
const COLUMNS = Object.keys(HIT_STRINGS);

type HitRow = Record<string, string | null> & {
  readonly website: string;
  readonly visitor: string;
  readonly day: Day;
  readonly milliseconds: number;
  readonly properties: Record<string, string> | null;
  readonly importNumber: string | null;
};

/** The hits of days, in pieces that have all hits of their visitors; several days are one piece. */
export async function* readDays(database: Database, days: readonly WebsiteDay[]): AsyncIterable<readonly EngineHit[]> {
  const [only, ...others] = days;
  if (only === undefined) return;
  if (others.length === 0) {
    yield* readDay(database, only);
    return;
  }
  const chosen = days.map(({ website, day }) => ({ websiteNumber: website.toString(), day }));
  const { rows } = await database.query(once(hitsIn(hitsOfDays(chosen))));
  yield rows.map(toHit);
}

/** Sorts the hits of the day once, and reads them in pieces. */
async function* readDay(database: Database, { website, day }: WebsiteDay): AsyncIterable<readonly EngineHit[]> {
  yield* database.stream(
    async function* (transaction) {
      const isOfDay = sql`website_number = ${sql.lit(website.toString())} and day = ${sql.lit(day)}`;
      await transaction.query(once(sql`declare hits no scroll cursor for ${hitsWhere(isOfDay)}`));
      let piece: EngineHit[] = [];
      for (;;) {
        const { rows } = await transaction.query(once(sql<HitRow>`fetch ${sql.lit(MAX_HITS)} from hits`));
        piece.push(...rows.map(toHit));
        if (rows.length < MAX_HITS) break;
        // The hits of the last visitor may go on.
        const last = piece.at(-1)?.visitor;
        const end = piece.findIndex(({ visitor }) => visitor === last);
        if (end > 0) yield piece.slice(0, end);
        piece = piece.slice(end);
      }
      if (piece.length > 0) yield piece;
    },
    { snapshot: true },
  );
}

/** All hits of these visitors. */
export async function readVisitors(database: Database, visitors: readonly VisitorDay[]): Promise<EngineHit[]> {
  const { rows } = await database.query(once(hitsWhere(isOfVisitors(visitors))));
  return rows.map(toHit);
}

function isOfVisitors(visitors: readonly VisitorDay[]): RawBuilder<unknown> {
  return sql`(website_number, day, visitor) in (
    select * from unnest(
      ${visitors.map(({ website }) => website.toString())}::bigint[],
      ${visitors.map(({ day }) => day)}::date[],
      ${visitors.map(({ visitor }) => toSigned(visitor))}::bigint[]
    )
  )`;
}

function hitsWhere(condition: RawBuilder<unknown>): RawBuilder<HitRow> {
  return hitsIn(sql`hit where ${condition}`);
}

/** Hits of the same instant are sorted too, because their order identifies them in the other engine. */
function hitsIn(source: RawBuilder<unknown>): RawBuilder<HitRow> {
  return sql<HitRow>`
    select website_number as website, visitor, day::text as day, props as properties, import_number as "importNumber",
      (extract(epoch from time) * 1000)::double precision as milliseconds, ${columnsOf(COLUMNS)}
    from ${source} order by website_number, hit.day, visitor, time, ${columnsOf(COLUMNS)}, props`;
}

function toHit(row: HitRow): EngineHit {
  const { website, visitor, day, milliseconds, properties, importNumber } = row;
  // The columns were written from a hit, by the same table.
  return {
    ...Object.fromEntries(STRINGS.map(([column, field]) => [field, row[column] ?? null])),
    website: BigInt(website),
    visitor: BigInt.asUintN(64, BigInt(visitor)),
    day,
    time: new Date(milliseconds),
    props: properties,
    ...(importNumber === null ? {} : { importNumber: BigInt(importNumber) }),
  } as EngineHit;
}
