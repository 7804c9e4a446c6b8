import { groupBy } from '@hitherto/domain/base';
import {
  type EngineHit,
  type StatisticsStore,
  type VisitorDay,
  type WebsiteDay,
  writeFields,
} from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { COLLECTED, type StoredPart } from '../statistics/book/read.ts';
import { gatherDays } from '../statistics/book/read-day-hits.ts';
import { storeParts } from '../statistics/book/store-part.ts';
import { createDayHits } from '../statistics/columns/day-hits.ts';
import { makePart } from '../statistics/columns/make-part.ts';
import { addHits } from '../statistics/jobs/hand-over.ts';
import { daysWithHits, forgetDays, noteHits } from '../statistics/jobs/rebuild.ts';
import { readKeptFrom } from '../statistics/jobs/retention.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { IS_KEPT, type WebsiteDay as OfDay, tableOfDays } from '../statistics/website-days.ts';
import { readImportedSums, replaceImportedSums } from './imported-sums.ts';
import { waitForJobs } from './locks.ts';
import { readDays, readVisitors } from './moved-hits.ts';
import { readOldSummaries, replaceOldSummaries } from './old-summaries.ts';

/** The store of the engine in PostgreSQL. */
export function createStatisticsStore(database: Database): StatisticsStore {
  return {
    async days() {
      const days = await daysWithHits(database, IS_KEPT);
      return days.map(({ websiteNumber, ...day }) => ({ ...day, website: BigInt(websiteNumber) }));
    },

    hitsOf: (days) => readDays(database, days),

    async replaceDays(days, hits) {
      if (days.length > 0) await database.transaction((transaction) => replaceDays(transaction, days, hits));
    },

    // Hits move from the journal into the book meanwhile.
    hitsOfVisitors: (visitors) =>
      database.transaction((transaction) => readVisitors(transaction, visitors), { snapshot: true }),

    replaceVisitors: (visitors, hits) => database.transaction((transaction) => addMissing(transaction, visitors, hits)),

    keptFrom: () => readKeptFrom(database),

    oldSummaries: () => readOldSummaries(database),

    replaceOldSummaries: (keptFrom, summaries) => replaceOldSummaries(database, keptFrom, summaries),

    importedSums: () => readImportedSums(database),

    replaceImportedSums: (sums) => replaceImportedSums(database, sums),

    clear: () =>
      database.transaction(async (transaction) => {
        await waitForJobs(transaction);
        await transaction.query(once(sql`truncate added_hits, website_day, day_numbers, book, imported_sum`));
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
  for (const table of ['added_hits', 'book'] as const) {
    const name = sql.table(table);
    await transaction.query(
      once(sql`
        delete from ${name} using ${tableOfDays(chosen)} chosen
        where ${name}.website_number = chosen.website_number and ${name}.day = chosen.day`),
    );
  }
  const withHits = new Set<string>();
  let part = 0;
  for await (const piece of hits) {
    const parts: StoredPart[] = [];
    for (const [first, ofDay] of byDayAndOrigin(piece)) {
      const [websiteNumber, { day }] = [first.website.toString(), first];
      const dayHits = createDayHits(day);
      for (const hit of ofDay) dayHits.addHit(hit);
      withHits.add(`${websiteNumber} ${day}`);
      const origin = first.importNumber?.toString() ?? COLLECTED;
      parts.push({ ...(await makePart(dayHits)), websiteNumber, origin, part });
    }
    await storeParts(transaction, parts);
    part += 1;
  }
  const isFilled = ({ websiteNumber, day }: OfDay) => withHits.has(`${websiteNumber} ${day}`);
  await noteHits(transaction, chosen);
  await forgetDays(
    transaction,
    chosen.filter((day) => !isFilled(day)),
  );
}

/** The hits of each day and origin, with the first of them. */
function byDayAndOrigin(hits: readonly EngineHit[]): (readonly [EngineHit, readonly EngineHit[]])[] {
  const groups = groupBy(hits, ({ website, day, importNumber }) => `${website} ${day} ${importNumber}`);
  return [...groups.values()].flatMap((group) => group.slice(0, 1).map((first) => [first, group] as const));
}

/** Properties are sorted, so that equal hits have equal texts, whichever engine they were read from. */
function textOf(hit: EngineHit): string {
  const props = hit.props && Object.fromEntries(Object.entries(hit.props).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${hit.website} ${hit.day} ${writeFields({ ...hit, props })}`;
}

/** The number of hits never shrinks, so missing hits are added like new ones. Those of imports, which are at rest, are all there. */
async function addMissing(
  transaction: Transaction,
  visitors: readonly VisitorDay[],
  hits: readonly EngineHit[],
): Promise<void> {
  await waitForWorkLock(transaction);
  const known = new Map<string, number>();
  const found = await readVisitors(transaction, visitors);
  for (const text of found.filter(isCollected).map(textOf)) known.set(text, (known.get(text) ?? 0) + 1);
  const missing = hits.filter(isCollected).filter((hit) => {
    const text = textOf(hit);
    const left = known.get(text) ?? 0;
    known.set(text, left - 1);
    return left <= 0;
  });
  const gathered = gatherDays();
  for (const { website, day, ...hit } of missing) gathered.addHit({ websiteNumber: website.toString(), day, hit });
  const days = gathered.days();
  await addHits(
    transaction,
    days,
    days.map(({ websiteNumber, hits: { day, size } }) => ({ websiteNumber, day, hits: size() })),
  );
}

function isCollected({ importNumber }: EngineHit): boolean {
  return importNumber === undefined;
}
