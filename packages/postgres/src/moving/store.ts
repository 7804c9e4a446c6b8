import type { EngineHit, StatisticsStore, VisitorDay, WebsiteDay } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { IMPORTED_HIT_COLUMNS, importedHitRow } from '../journal/hit-rows.ts';
import { monthOf, prepareMonth } from '../statistics/jobs/partitions.ts';
import { forgetDays, noteHits } from '../statistics/jobs/rebuild.ts';
import { readKeptFrom } from '../statistics/jobs/retention.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { type WebsiteDay as OfDay, tableOfDays } from '../statistics/website-days.ts';
import { readImportedSums, replaceImportedSums } from './imported-sums.ts';
import { waitForJobs } from './locks.ts';
import { readDays, readVisitors } from './moved-hits.ts';
import { readOldSummaries, replaceOldSummaries } from './old-summaries.ts';

const COPY_MOVED_HITS = `copy hit (${IMPORTED_HIT_COLUMNS.join(', ')}) from stdin`;

/** The store of the engine in PostgreSQL. */
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

    hitsOf: (days) => readDays(database, days),

    async replaceDays(days, hits) {
      const [first] = days;
      if (first === undefined) return;
      // In a transaction of its own: new hits wait until a new partition is committed.
      await prepareMonth(database, monthOf(first.day, 0), waitForWorkLock);
      await database.transaction((transaction) => replaceDays(transaction, days, hits));
    },

    hitsOfVisitors: (visitors) => readVisitors(database, visitors),

    replaceVisitors: (visitors, hits) =>
      database.transaction((transaction) => addMissing(database, transaction, visitors, hits)),

    keptFrom: () => readKeptFrom(database),

    oldSummaries: () => readOldSummaries(database),

    replaceOldSummaries: (keptFrom, summaries) => replaceOldSummaries(database, keptFrom, summaries),

    importedSums: () => readImportedSums(database),

    replaceImportedSums: (sums) => replaceImportedSums(database, sums),

    clear: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await transaction.query(
          once(sql`truncate hit, added_hits, website_day, day_numbers, visit_columns, imported_sum`),
        );
        await transaction.query(once(sql`update hit_retention set kept_from = '0001-01-01'`));
      }),
  };
}

/** The ids of existing websites by their numbers. */
export async function findNumbers(database: Database): Promise<ReadonlyMap<bigint, string>> {
  const { rows } = await database.query(
    once(sql<{ number: string; id: string }>`select number, id from website order by number`),
  );
  return new Map(rows.map(({ number, id }) => [BigInt(number), id]));
}

async function replaceDays(
  transaction: Transaction,
  days: readonly WebsiteDay[],
  hits: AsyncIterable<readonly EngineHit[]>,
): Promise<void> {
  const chosen = days.map(({ website, day }) => ({ websiteNumber: website.toString(), day }));
  await waitForWorkLock(transaction);
  await transaction.query(
    once(sql`
      delete from hit using ${tableOfDays(chosen)} chosen
      where hit.website_number = chosen.website_number and hit.day = chosen.day`),
  );
  const withHits = new Set<string>();
  async function* textsOf(): AsyncIterable<string> {
    for await (const piece of hits) {
      for (const { website, day } of piece) withHits.add(`${website} ${day}`);
      yield piece.map(rowOf).join('');
    }
  }
  await transaction.copy(COPY_MOVED_HITS, textsOf());
  const isFilled = ({ websiteNumber, day }: OfDay) => withHits.has(`${websiteNumber} ${day}`);
  await noteHits(transaction, chosen);
  await forgetDays(
    transaction,
    chosen.filter((day) => !isFilled(day)),
  );
}

/** Properties are sorted, so that equal hits have equal rows, whichever engine they were read from. */
function rowOf(hit: EngineHit): string {
  const props = hit.props && Object.fromEntries(Object.entries(hit.props).sort(([a], [b]) => (a < b ? -1 : 1)));
  return importedHitRow({ ...hit, props }, hit.website.toString(), hit.importNumber?.toString());
}

/** The number of hits never shrinks, so missing hits are added like new ones. */
async function addMissing(
  database: Database,
  transaction: Transaction,
  visitors: readonly VisitorDay[],
  hits: readonly EngineHit[],
): Promise<void> {
  const known = new Map<string, number>();
  for (const row of (await readVisitors(database, visitors)).map(rowOf)) known.set(row, (known.get(row) ?? 0) + 1);
  const missing = hits.filter((hit) => {
    const row = rowOf(hit);
    const left = known.get(row) ?? 0;
    known.set(row, left - 1);
    return left <= 0;
  });
  if (missing.length === 0) return;
  await transaction.copy(COPY_MOVED_HITS, [missing.map(rowOf).join('')]);
  await transaction.query(
    once(sql`
      insert into added_hits (website_number, day, hits)
      select website_number, day, count(*) from unnest(
        ${missing.map(({ website }) => website.toString())}::bigint[], ${missing.map(({ day }) => day)}::date[]
      ) missing (website_number, day) group by website_number, day`),
  );
}
