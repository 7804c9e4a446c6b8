import { isId } from '@hitherto/domain/base';
import { type CountedHit, HIT_STRINGS, type HitDetails } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';

/** How many hits are in memory at once. */
const MAX_ROWS = 5_000;

type HitRow = Record<string, string | null> & {
  readonly day: string;
  readonly visitor: string;
};

/** All hits of a website that are kept, by day, as they were at one moment. */
export async function* readHits(database: Database, websiteId: string): AsyncGenerator<CountedHit> {
  if (!isId(websiteId)) return;
  yield* database.stream(
    async function* (transaction) {
      await transaction.query(
        once(sql`
          declare hits no scroll cursor for
          select ${columnsOf(Object.keys(HIT_STRINGS))}, day::text as day, visitor::text as visitor,
            (extract(epoch from time) * 1000)::text as time, props::text as props
          from hit
          where website_number = (select number from website where id = ${sql.lit(websiteId)})
            and day >= (select kept_from from hit_retention)
          order by hit.day`),
      );
      for (;;) {
        const { rows } = await transaction.query(once(sql<HitRow>`fetch ${sql.lit(MAX_ROWS)} from hits`));
        for (const row of rows) yield toHit(websiteId, row);
        if (rows.length < MAX_ROWS) return;
      }
    },
    { snapshot: true },
  );
}

function toHit(websiteId: string, row: HitRow): CountedHit {
  const strings = Object.entries(HIT_STRINGS).map(([column, field]) => [field, row[column] ?? null]);
  const props: HitDetails['props'] = row.props === null || row.props === undefined ? null : JSON.parse(row.props);
  // The columns of required strings are not null.
  return {
    ...(Object.fromEntries(strings) as Omit<HitDetails, 'props'>),
    props,
    websiteId,
    time: new Date(Number(row.time)),
    day: row.day,
    visitor: BigInt.asUintN(64, BigInt(row.visitor)),
  };
}
