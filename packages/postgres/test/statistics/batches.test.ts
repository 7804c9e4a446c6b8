import {
  addHits,
  addWebsites,
  aQuery,
  at,
  BEFORE,
  rebuild,
  runJob,
  settle,
} from '@hitherto/contracts/statistics/support';
import { addDays, timeZone } from '@hitherto/domain/calendar';
import { createDatabase, rowsOf, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../src/connection/database.ts';
import { openPostgres } from '../../src/index.ts';
import { summarise } from '../../src/statistics/jobs/summarise.ts';
import { tryWorkLock } from '../../src/statistics/jobs/work-lock.ts';
import { PART_LIMITS } from '../../src/statistics/part-limits.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });
const pool = openDatabase(database.url, 'background', { isAway: false, lost: () => {}, seen: () => {} }, () => {});

afterAll(async () => {
  await pool.close();
  await ports.close();
  await database.drop();
});

const TODAY = '2026-11-20';

beforeEach(() => clearStatistics(database.url));

/** Adds a hit of each website on each of so many days before `TODAY`. */
async function fill(websites: readonly string[], days: number): Promise<void> {
  const hits = websites.flatMap((websiteId) =>
    Array.from({ length: days }, (_, n) => {
      const day = addDays(TODAY, -1 - n);
      return at('12:00', { websiteId, day, time: new Date(`${day}T12:00:00Z`), page: `/${n}` });
    }),
  );
  await addHits(ports, hits);
  await runJob(ports, 'hand over hits');
}

/** Summarises once, and returns how many statements that took. */
async function statementsOfOnePiece(): Promise<number> {
  let statements = 0;
  const counting: Database = {
    ...pool,
    transaction: (work, options) =>
      pool.transaction((transaction) => {
        const query: typeof transaction.query = (asked) => {
          statements += 1;
          return transaction.query(asked);
        };
        return work({ ...transaction, query });
      }, options),
  };
  await summarise(counting, timeZone('UTC'), sql`website_day.day < ${TODAY}::date`, PART_LIMITS, tryWorkLock);
  return statements;
}

const unsummarised = () => rowsOf(database.url, 'select from website_day where hits <> hits_in_numbers');

it('days of many websites are summarised in as many statements as one day', async () => {
  await fill(await addWebsites(ports, [null]), 1);
  const forOne = await statementsOfOnePiece();
  const websites = await addWebsites(ports, Array(20).fill(null));
  await fill(websites, 3);

  const forMany = await statementsOfOnePiece();

  expect(forMany).toBe(forOne);
  expect(await unsummarised()).toEqual([]);
  for (const websiteId of websites) {
    const { rows } = await ports.statistics.values(aQuery(websiteId), 'page', 10);
    expect(rows.map(({ value, visitors }) => [value, visitors])).toEqual([
      ['/0', 1],
      ['/1', 1],
      ['/2', 1],
    ]);
  }
});

it('a rebuild has made all numbers when it ends, so hits are not read', async () => {
  const [websiteId = ''] = await addWebsites(ports, [null]);
  await fill([websiteId], 30);
  await settle(ports, BEFORE);

  await rebuild(ports, {}, TODAY);

  expect(await unsummarised()).toEqual([]);
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin; lock table journal_batch, book in access exclusive mode');
  const { visitors } = await ports.statistics.totals(aQuery(websiteId, { from: '2026-10-01' }));
  await holder.end();
  expect(visitors).toBe(30);
});
