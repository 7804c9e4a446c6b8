import type { MovedHit, StatisticsStore, VisitorDay, WebsiteDay } from '@hitherto/domain';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { IMPORTED_HIT_COLUMNS, importedHitRow, toSigned } from '../journal/hit-rows.ts';
import { monthOf, PARTITIONED, preparePartition } from '../statistics/jobs/partitions.ts';
import { makeVisits } from '../statistics/jobs/rebuild.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { readDay, readVisitors } from './moved-hits.ts';
import { readOldSummaries, replaceOldSummaries } from './old-summaries.ts';

const COPY_HITS = `copy hit (${IMPORTED_HIT_COLUMNS.join(', ')}) from stdin`;

/** What the engine in PostgreSQL stores. */
export function createStatisticsStore(database: Database): StatisticsStore {
  return {
    async days() {
      const { rows } = await database.query(
        once(sql<{ website: string; day: string; hits: number }>`
          select website_number as website, hit.day::text as day, count(*)::double precision as hits
          from hit join website on number = website_number
          where hit.day >= (select kept_from from hit_retention)
          group by website_number, hit.day order by website_number, hit.day`),
      );
      return rows.map(({ website, day, hits }) => ({ website: BigInt(website), day, hits }));
    },

    hitsOf: (day) => readDay(database, day),

    replaceDay: (day, hits) => database.transaction((transaction) => replaceDay(transaction, day, hits)),

    hitsOfVisitors: (visitors) => readVisitors(database, visitors),

    replaceVisitors: (visitors, hits) =>
      database.transaction((transaction) => addMissing(database, transaction, visitors, hits)),

    async keptFrom() {
      const { rows } = await database.query(
        once(sql<{ day: string }>`select kept_from::text as day from hit_retention`),
      );
      return rows[0]?.day ?? '';
    },

    oldSummaries: () => readOldSummaries(database),

    replaceOldSummaries: (keptFrom, summaries) => replaceOldSummaries(database, keptFrom, summaries),

    clear: () =>
      database.transaction(async (transaction) => {
        await waitForWorkLock(transaction);
        await transaction.query(
          once(sql`truncate hit, visit, changed_visitor, website_day, summary, week_summary, visit_columns`),
        );
        await transaction.query(once(sql`update hit_retention set kept_from = '0001-01-01'`));
      }),
  };
}

/** The ids of existing websites by their numbers. */
export async function findWebsites(database: Database): Promise<ReadonlyMap<bigint, string>> {
  const { rows } = await database.query(
    once(sql<{ number: string; id: string }>`select number, id from website order by number`),
  );
  return new Map(rows.map(({ number, id }) => [BigInt(number), id]));
}

async function replaceDay(
  transaction: Transaction,
  day: WebsiteDay,
  hits: AsyncIterable<readonly MovedHit[]>,
): Promise<void> {
  await waitForWorkLock(transaction);
  for (const table of PARTITIONED) await preparePartition(transaction, table, monthOf(day.day, 0));
  const ofDay = { websiteNumber: day.website.toString(), day: day.day };
  await transaction.query(
    once(sql`delete from hit where website_number = ${ofDay.websiteNumber}::bigint and day = ${day.day}::date`),
  );
  if ((await transaction.copy(COPY_HITS, textsOf(hits))) > 0) return makeVisits(transaction, [ofDay]);
  for (const table of ['visit', 'summary', 'visit_columns', 'website_day']) {
    await transaction.query(
      once(sql`
        delete from ${sql.table(table)}
        where website_number = ${ofDay.websiteNumber}::bigint and day = ${day.day}::date`),
    );
  }
}

async function* textsOf(pieces: AsyncIterable<readonly MovedHit[]>): AsyncIterable<string> {
  for await (const hits of pieces) yield hits.map(rowOf).join('');
}

/** Properties are sorted, so that equal hits have equal rows, whichever engine they were read from. */
function rowOf(hit: MovedHit): string {
  const props = hit.props && Object.fromEntries(Object.entries(hit.props).sort(([a], [b]) => (a < b ? -1 : 1)));
  return importedHitRow({ ...hit, props }, hit.website.toString(), hit.importNumber?.toString());
}

/** Hits are never fewer than before, so those that are missing are added as new ones are. */
async function addMissing(
  database: Database,
  transaction: Transaction,
  visitors: readonly VisitorDay[],
  hits: readonly MovedHit[],
): Promise<void> {
  const known = new Map<string, number>();
  for (const row of (await readVisitors(database, visitors)).map(rowOf)) known.set(row, (known.get(row) ?? 0) + 1);
  const missing = hits.map(rowOf).filter((row) => {
    const left = known.get(row) ?? 0;
    known.set(row, left - 1);
    return left <= 0;
  });
  if (missing.length === 0) return;
  await transaction.copy(COPY_HITS, [missing.join('')]);
  await transaction.query(
    once(sql`
      insert into changed_visitor (website_number, day, visitor)
      select * from unnest(
        ${visitors.map(({ website }) => website.toString())}::bigint[],
        ${visitors.map(({ day }) => day)}::date[],
        ${visitors.map(({ visitor }) => toSigned(visitor))}::bigint[]
      )`),
  );
}
