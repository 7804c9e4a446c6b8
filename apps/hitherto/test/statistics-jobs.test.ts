import type { Job } from '@hitherto/domain/base';
import { NO_TOTALS } from '@hitherto/domain/visits';
import { expect, test } from 'vitest';
import { forgetSalts, statisticsJobs } from '../src/jobs/statistics-jobs.ts';

/** The jobs at this time, and the calls that they make. */
function jobsAt(now: string) {
  const calls: string[] = [];
  const jobs = statisticsJobs({
    maintenance: {
      jobs: (time) => [
        {
          name: 'of the engine',
          every: 2_000,
          work: async () => calls.push(`engine at ${time().toISOString()}`) > 100,
        },
      ],
      settle: async () => {},
      forget: async (id) => calls.push(`forget ${id}`) === 0,
      deleteHitsBefore: async (day) => calls.push(`delete hits before ${day}`) === 0,
      erase: async () => {},
      keptFrom: async () => '0001-01-01',
      rebuild: async () => 0,
    },
    deletedWebsites: { findDue: async () => 'w', confirm: async (id) => void calls.push(`confirm ${id}`) },
    droppedHits: { byReason: async () => [], deleteAll: async (id) => void calls.push(`delete drops of ${id}`) },
    crawlers: {
      add: () => {},
      byDay: async () => [],
      values: async () => ({ rows: [], total: 0 }),
      trim: async (from, to) => calls.push(`trim crawlers from ${from} to ${to}`) === 0,
      deleteAll: async (id) => void calls.push(`delete crawlers of ${id}`),
    },
    notedHits: {
      add: () => {},
      list: async () => [],
      deleteBefore: async (day) => void calls.push(`delete notes before ${day}`),
      deleteAll: async (id) => void calls.push(`delete notes of ${id}`),
    },
    cleanups: {
      waiting: async () => undefined,
      apply: async () => false,
      erased: async () => false,
      undo: async () => false,
    },
    statistics: { totals: async () => NO_TOTALS, series: async () => [] },
    batches: {
      find: async () => undefined,
      add: async () => undefined,
      deleteExpired: async () => calls.push('delete expired batches') === 0,
    },
    salts: {
      saltOf: async (_day, fresh) => fresh,
      deleteBefore: async (day) => calls.push(`delete salts before ${day}`),
    },
    retentionDays: 400,
    now: () => new Date(now),
  });
  const visitors = { forgetBefore: (day: string) => void calls.push(`forget salts before ${day}`) };
  return { jobs: [...jobs, forgetSalts({ visitors, now: () => new Date(now) })], calls };
}

/** Runs each job once at this time, and returns the calls that it made. */
async function runAt(now: string): Promise<string[]> {
  const { jobs, calls } = jobsAt(now);
  for (const { work } of jobs) await work(new AbortController().signal);
  return calls;
}

test('background work is that of the engine and of the journal', async () => {
  const calls = await runAt('2026-11-20T12:00:00Z');

  expect(calls).toEqual([
    'engine at 2026-11-20T12:00:00.000Z',
    'forget w',
    'delete drops of w',
    'delete crawlers of w',
    'delete notes of w',
    'confirm w',
    'delete hits before 2025-10-16',
    'trim crawlers from 2026-11-11 to 2026-11-17',
    'trim crawlers from 1970-01-01 to 2026-11-17',
    'delete notes before 2026-10-16',
    'delete expired batches',
    'delete salts before 2026-11-18',
    'forget salts before 2026-11-18',
  ]);
});

test('the jobs of the engine run as often as it says', () => {
  const { jobs } = jobsAt('2026-11-20T12:00:00Z');

  expect(jobs.find(({ name }: Job) => name === 'of the engine')?.every).toBe(2_000);
});

test('a salt is kept until its day has been over everywhere for 48 hours, and no longer', async () => {
  expect(await runAt('2026-11-23T11:59:59.999Z')).toContain('delete salts before 2026-11-20');
  expect(await runAt('2026-11-23T12:00:00.000Z')).toContain('delete salts before 2026-11-21');
});

test('hits are kept for their days in every time zone', async () => {
  expect(await runAt('2026-11-20T11:59:59.999Z')).toContain('delete hits before 2025-10-15');
  expect(await runAt('2026-11-20T12:00:00.000Z')).toContain('delete hits before 2025-10-16');
});

test('crawlers of days that are written late are trimmed within a day', () => {
  const { jobs } = jobsAt('2026-11-20T12:00:00Z');

  expect(jobs.find(({ name }) => name === 'trim crawlers of all days')?.every).toBe(24 * 3_600_000);
});
