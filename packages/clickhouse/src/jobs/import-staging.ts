import { unavailable } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { DayOfImport, HitJournal, JournalledImport } from '@hitherto/domain/engine';
import type { ImportStaging } from '@hitherto/domain/imports';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, type Sql, sql } from '../connection/sql.ts';
import { insertHits } from '../hand-over/hand-over.ts';
import { readDay } from '../moving/moved-hits.ts';
import { counts, IS_KEPT, readKeptFrom } from '../reading/day-forms.ts';
import type { FindWebsite } from '../reading/websites.ts';
import { makeVisits } from '../visits/make-visits.ts';
import { deleteImported, deleteRows, deleteSummaries } from './delete-imports.ts';
import { insertSums, sumHits } from './imported-sums.ts';
import { summarise } from './summarise.ts';

/** How many hits the days may have whose visits one statement makes. */
const MAX_HITS = 500_000;

/**
 * Imports in ClickHouse. Hits, visits and sums of days have the number of their import, and reads leave out those of imports that the journal
 * does not say are done. So all of an import counts from one moment on, and none from another on.
 */
export function createImportStaging(
  server: ClickHouse,
  journal: HitJournal,
  findWebsite: FindWebsite,
  cluster: string | undefined,
): ImportStaging {
  /** How many hits or sums of each running import this process has staged: their places in it. */
  const staged = new Map<string, number>();

  /**
   * Reads take days whose hits are no longer kept from sums: the summaries of these days, and the sums of imports. There are no more
   * such days before the import is done: retention waits for it.
   */
  const sumOldDays = async (found: JournalledImport, days: readonly DayOfImport[]) => {
    const keptFrom = await readKeptFrom(server);
    const zone = (await journal.findZones([found.website])).get(found.website);
    if (zone === undefined) return;
    for (const batch of batchesOf(days.filter(({ day }) => day < keptFrom))) {
      await sumHits(server, found, zone, batch);
    }
  };

  return {
    async stage(importId, hits) {
      const found = await journal.findImport(importId);
      if (found?.isRunning !== true) return;
      const first = staged.get(importId) ?? 0;
      staged.set(importId, first + hits.length);
      const { number, website } = found;
      const rows = hits.map((hit, place) => ({
        ...hit,
        visitor: hit.visitor ^ maskOf(number),
        website,
        batch: number,
        place: first + place,
        importNumber: number,
      }));
      await insertHits(server, rows);
    },

    async stageSums(importId, sums) {
      const found = await journal.findImport(importId);
      if (found?.isRunning !== true) return;
      const first = staged.get(importId) ?? 0;
      staged.set(importId, first + sums.length);
      await insertSums(
        server,
        sums.map((sum, place) => ({
          ...sum,
          website: found.website,
          importNumber: found.number,
          place: first + place,
        })),
      );
    },

    async publish(importId, imported, now, event, read) {
      const expected = staged.get(importId);
      staged.delete(importId);
      const found = await journal.findImport(importId);
      if (found?.isRunning !== true) return false;
      const days = await stagedDays(server, found);
      const summed = await summedDays(server, found);
      const count = days.reduce((sum, { hits }) => sum + hits, await countSums(server, found));
      if (expected !== undefined && expected !== count) {
        throw unavailable('ClickHouse has lost rows that were being imported.');
      }
      for (const batch of batchesOf(days)) {
        const chosen = sql`${isOfImport(found)} and day in (${join(batch.map(({ day }) => dayLiteral(day)))})`;
        await journal.exclusively((version) => server.write(makeVisits(chosen, version)));
      }
      await sumOldDays(found, days);
      if (!(await journal.endImport(importId, [...days, ...summed], imported, event, read))) return false;
      const ofImport = isOfImport(found);
      const today = now.toISOString().slice(0, 10);
      while (await summarise(server, journal, ofImport, ({ day }) => day < today));
      return true;
    },

    async remove(importId, _now, change) {
      const found = await journal.findImport(importId);
      if (found === undefined) return false;
      const summarised = found.hasSums ? [] : await summarisedDays(server, found);
      const alone = summarised.filter(({ isAlone }) => isAlone);
      // Within the deletion: no row would tell later which import they are of, and if PostgreSQL goes away, they are still needed.
      const beforeCommit = () => deleteSummaries(server, cluster, alone);
      const keepsNumbers = alone.length < summarised.length;
      if (!(await journal.deleteImport(importId, { keepsNumbers, change, beforeCommit }))) return false;
      await deleteImported(server, journal, cluster, isOfImport(found));
      return true;
    },

    async discard(importId) {
      staged.delete(importId);
      const found = await journal.findImport(importId);
      if (found === undefined || found.isRunning || found.days.length > 0) return;
      await deleteRows(server, cluster, isOfImport(found));
    },

    async *hits(websiteId) {
      const website = await findWebsite(websiteId);
      if (website === undefined) return;
      const isWanted = sql`website = ${website.number} and ${counts(website.imports)} and ${IS_KEPT}`;
      const days = await server.read<{ day: Day }>(sql`
        select distinct day from hit where ${isWanted} order by day`);
      for (const { day } of days) {
        for await (const hits of readDay(server, { website: website.number, day }, isWanted)) {
          // With the visitor that is counted.
          for (const { website: _number, importNumber: _import, ...hit } of hits) yield { ...hit, websiteId };
        }
      }
    },
  };
}

/**
 * A row of `visitor_day` is of one import, so a visitor of a log who has other hits too is another one in the import. The mask is
 * different for each import.
 */
function maskOf(importNumber: bigint): bigint {
  return BigInt.asUintN(64, importNumber * 0x9e37_79b9_7f4a_7c15n);
}

function isOfImport({ number, website }: JournalledImport): Sql {
  return sql`website = ${website} and import = ${number}`;
}

async function stagedDays(server: ClickHouse, found: JournalledImport): Promise<DayOfImport[]> {
  const rows = await server.read<{ day: Day; hits: string }>(sql`
    select day, count() as hits from hit final where ${isOfImport(found)} group by day order by day`);
  return rows.map(({ day, hits }) => ({ day, hits: Number(hits) }));
}

async function countSums(server: ClickHouse, found: JournalledImport): Promise<number> {
  const [row] = await server.read<{ sums: string }>(sql`
    select count() as sums from imported_sum final where ${isOfImport(found)}`);
  return Number(row?.sums ?? 0);
}

/** The days of staged sums, with their pageviews and events. */
async function summedDays(server: ClickHouse, found: JournalledImport): Promise<DayOfImport[]> {
  const rows = await server.read<{ day: Day; hits: string }>(sql`
    select day, sum(pageviews) + sum(events) as hits from imported_sum final
    where ${isOfImport(found)} and kind = 'total' group by day order by day`);
  return rows.map(({ day, hits }) => ({ day, hits: Number(hits) }));
}

/** The days of an import whose hits are kept no longer and are in the summary, and whether that has no others. */
async function summarisedDays(server: ClickHouse, found: JournalledImport) {
  const { website, days } = found;
  if (days.length === 0) return [];
  const rows = await server.read<{ day: Day; hits: string }>(sql`
    select day, sum(arraySum(pageviews) + arraySum(events)) as hits from summary final
    where website = ${website} and kind = 'total' and not (${IS_KEPT})
      and day in (${join(days.map(({ day }) => dayLiteral(day)))})
      and day not in (select day from imported_sum where ${isOfImport(found)})
    group by day`);
  const own = new Map(days.map(({ day, hits }) => [day, hits]));
  return rows.map(({ day, hits }) => ({ website, day, isAlone: own.get(day) === Number(hits) }));
}

function* batchesOf(days: readonly DayOfImport[]): Generator<DayOfImport[]> {
  let batch: DayOfImport[] = [];
  let hits = 0;
  for (const day of days) {
    batch.push(day);
    hits += day.hits;
    if (hits < MAX_HITS) continue;
    yield batch;
    batch = [];
    hits = 0;
  }
  if (batch.length > 0) yield batch;
}
