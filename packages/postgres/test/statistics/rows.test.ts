import { aSum, importSums, stageSums } from '@hitherto/contracts/statistics/imports-support';
import {
  addHits,
  addWebsite,
  aQuery,
  at,
  forgetDeletedWebsites,
  runJob,
  settle,
} from '@hitherto/contracts/statistics/support';
import { UNRECORDED } from '@hitherto/domain/changes';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics, countRows } from '@hitherto/testing/statistics-tables';
import pg from 'pg';
import { v7 as idAt } from 'uuid';
import { afterAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { openPostgres } from '../../src/index.ts';
import { LOCK_ID } from '../../src/statistics/jobs/work-lock.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const ports = openPostgres({ connection: database.url, log: () => {} });

afterAll(async () => {
  await ports.close();
  await database.drop();
});

const TABLES = ['book', 'day_numbers', 'added_hits', 'website_day', 'dropped_hit'] as const;

const counts = (tables: readonly string[] = TABLES) => countRows(database.url, tables);

describe('statistics in PostgreSQL', () => {
  let accountId: string;
  let websiteId: string;

  beforeEach(async () => {
    await clearStatistics(database.url);
    ({ accountId, websiteId } = await addWebsite(ports));
  });

  const hitOf = (day: string, time = '12:00', visitor = 1n) =>
    at(time, { websiteId, day, visitor, time: new Date(`${day}T${time}:00.000Z`) });

  /** Notes hits of as many batches, which the journal does not have. */
  const addedHits = (count: number) =>
    `insert into added_hits select gen_random_uuid(), 1, '2026-11-20'::date, 1 from generate_series(1, ${count})`;

  it('an import that fails leaves no rows behind', async () => {
    const id = await stageSums(ports, { accountId, websiteId }, []);
    const many = Array.from({ length: 50_000 }, (_, hit) => hitOf('2026-10-01', '12:00', BigInt(hit)));
    await ports.staging.stage(id, many);
    const staged = await counts(['book']);

    await ports.imports.fail(id, { code: 'failed', detail: 'é' }, NO_IMPORT_COUNTS, undefined);
    await ports.staging.stage(id, many);
    await ports.staging.discard(id);

    expect(staged.book).toBeGreaterThan(0);
    expect(await counts(['book'])).toStrictEqual({ book: 0 });
  });

  describe('purge', () => {
    it('deletes every row of a deleted website, and checks again after an hour', async () => {
      await addHits(ports, [hitOf('2026-10-31'), hitOf('2026-11-20')]);
      await settle(ports);
      await addHits(ports, [hitOf('2026-11-20', '12:10')]);
      await ports.hits.add([], [{ websiteId, day: '2026-11-20', reason: 'bot', hits: 1 }]);
      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      await forgetDeletedWebsites(ports);

      expect(new Set(Object.values(await counts()))).toStrictEqual(new Set([0]));
      expect(await counts(['deleted_website'])).toStrictEqual({ deleted_website: 1 });

      await run(database.url, "update deleted_website set deleted_at = now() - interval '2 hours'");
      await forgetDeletedWebsites(ports);

      expect(await counts(['deleted_website'])).toStrictEqual({ deleted_website: 0 });
    });

    it('deletes the sums of imports, done and running ones', async () => {
      const website = { accountId, websiteId };
      await importSums(ports, website, [aSum('2023-01-02', 'total', null, { visitors: 3 })]);
      await stageSums(ports, website, [aSum('2023-01-03', 'page', '/', { visitors: 3 })]);
      expect(await counts(['imported_sum'])).toStrictEqual({ imported_sum: 2 });
      await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);

      await forgetDeletedWebsites(ports);

      expect(await counts(['imported_sum'])).toStrictEqual({ imported_sum: 0 });
    });

    it('purges the websites of a deleted account', async () => {
      await addHits(ports, [hitOf('2026-11-20')]);
      await ports.access.deleteAccount(accountId);

      await forgetDeletedWebsites(ports);

      expect(await counts(['book', 'added_hits'])).toStrictEqual({ book: 0, added_hits: 0 });
    });

    it('deletes batches after an hour, not earlier, nor while their hits wait', async () => {
      const ago = (minutes: number) => idAt({ msecs: Date.now() - minutes * 60_000 });
      const late = ago(59);
      const [early, waiting] = [ago(61), ago(62)];
      await run(
        database.url,
        `insert into journal_batch (id, hit_count, website_numbers, hits)
         select id, 0, '{}', '' from unnest(array['${early}', '${waiting}', '${late}']::uuid[]) id;
         insert into added_hits values ('${waiting}', 1, '2026-11-20', 1)`,
      );

      await ports.batches.deleteExpired(new Date());

      expect(await rowsOf(database.url, 'select id from journal_batch order by id')).toEqual([
        { id: waiting },
        { id: late },
      ]);
    });
  });

  describe('add', () => {
    it('stores neither a hit nor the batch if the transaction fails', async () => {
      const broken = { ...hitOf('2026-11-20'), day: 'no day' };

      await expect(ports.hits.add([hitOf('2026-11-20'), broken])).rejects.toThrow();

      expect(await counts(['added_hits', 'journal_batch'])).toStrictEqual({ added_hits: 0, journal_batch: 0 });
    });

    it('notes a day once per batch, however many hits it has', async () => {
      await addHits(ports, [hitOf('2026-11-20'), hitOf('2026-11-20', '12:01'), hitOf('2026-11-20', '12:02', 2n)]);

      expect(await counts(['journal_batch', 'added_hits'])).toStrictEqual({ journal_batch: 1, added_hits: 1 });
    });
  });

  describe('reads', () => {
    it('use only the numbers of days that are over', async () => {
      await addHits(ports, [hitOf('2026-11-19'), hitOf('2026-11-20', '12:00', 2n), hitOf('2026-11-20', '12:10', 2n)]);
      await runJob(ports, 'hand over hits');
      await runJob(ports, 'summarise days', '2026-11-20');
      const read = async () => [
        await ports.statistics.totals(aQuery(websiteId)),
        await ports.statistics.series(aQuery(websiteId), 'hour'),
        await ports.statistics.values(aQuery(websiteId), 'page', 10),
        await ports.statistics.values(aQuery(websiteId), 'country', 10),
      ];
      const before = await read();

      await run(database.url, "delete from book where day = '2026-11-19'");

      expect(await read()).toStrictEqual(before);
    });
  });

  describe('reads of tables without planner statistics', () => {
    it('finish within the statement timeout', async () => {
      const hits = Array.from({ length: 20_000 }, (_, index) => hitOf('2026-11-20', '12:00', BigInt(index)));
      await ports.hits.add(hits);

      const { rows } = await ports.statistics.values(aQuery(websiteId), 'page', 1);

      expect(rows).toMatchObject([{ visitors: 20_000 }]);
    });
  });

  describe('background work', () => {
    it('is left to the instance that already does it', async () => {
      await addHits(ports, [hitOf('2026-11-20')]);
      const other = new pg.Client({ connectionString: database.url });
      await other.connect();
      await other.query('select pg_advisory_lock($1)', [LOCK_ID]);

      const jobs = ports.maintenance.jobs(() => new Date('2026-12-01T12:00:00.000Z'));
      const left = await Promise.all(jobs.map(({ work }) => work(new AbortController().signal)));
      await other.end();

      expect(new Set(left)).toStrictEqual(new Set([false]));
      expect(await counts(['website_day', 'added_hits'])).toStrictEqual({ website_day: 0, added_hits: 1 });
    });

    it('hands over a bounded number of hits at a time', async () => {
      await run(database.url, addedHits(20_001));

      const job = ports.maintenance.jobs(() => new Date()).find(({ name }) => name === 'hand over hits');
      const update = () => job?.work(new AbortController().signal);
      expect(await update()).toBe(true);
      expect(await rowsOf(database.url, 'select hits::integer from website_day')).toEqual([{ hits: 20_000 }]);
      expect(await update()).toBe(false);
    });

    it('leaves hits in the journal for six hours, unless there are many', async () => {
      vi.useFakeTimers({ toFake: ['performance'] });
      onTestFinished(() => void vi.useRealTimers());
      const job = ports.maintenance.jobs(() => new Date()).find(({ name }) => name === 'hand over hits');
      const leftAfter = async (rows: number, ms: number) => {
        await run(database.url, addedHits(rows));
        vi.advanceTimersByTime(ms);
        await job?.work(new AbortController().signal);
        return (await counts(['added_hits'])).added_hits;
      };

      expect(await leftAfter(1, 0)).toBe(0);
      expect(await leftAfter(1, 6 * 3_600_000 - 1_000)).toBe(1);
      expect(await leftAfter(1, 1_000)).toBe(0);
      expect(await leftAfter(4_999, 1_000)).toBe(4_999);
      expect(await leftAfter(1, 1_000)).toBe(0);
    });
  });
});
