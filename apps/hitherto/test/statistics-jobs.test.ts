import { type Job, timeZone } from '@hitherto/domain';
import { expect, test } from 'vitest';
import { statisticsJobs } from '../src/jobs/statistics-jobs.ts';

/** The jobs at this time, and the calls that they make. */
function jobsAt(now: string, zone = 'UTC') {
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
      rebuild: async () => 0,
    },
    deletedWebsites: { findDue: async () => 'w', confirm: async (id) => void calls.push(`confirm ${id}`) },
    droppedHits: { byReason: async () => [], deleteAll: async (id) => void calls.push(`delete drops of ${id}`) },
    batches: {
      find: async () => undefined,
      add: async () => undefined,
      deleteExpired: async () => calls.push('delete expired batches') === 0,
    },
    salts: {
      saltOf: async (_day, fresh) => fresh,
      deleteBefore: async (day) => calls.push(`delete salts before ${day}`),
    },
    visitors: { forgetBefore: (day) => calls.push(`forget salts before ${day}`) },
    zone: timeZone(zone),
    retentionDays: 400,
    now: () => new Date(now),
  });
  return { jobs, calls };
}

/** Runs each job once at this time, and returns the calls that it made. */
async function runAt(now: string, zone?: string): Promise<string[]> {
  const { jobs, calls } = jobsAt(now, zone);
  for (const { work } of jobs) await work(new AbortController().signal);
  return calls;
}

test('background work is that of the engine and of the journal, by the day in the time zone', async () => {
  const calls = await runAt('2026-11-20T12:00:00Z');
  const later = await runAt('2026-11-20T12:00:00Z', 'Pacific/Kiritimati');

  expect(calls).toEqual([
    'engine at 2026-11-20T12:00:00.000Z',
    'forget w',
    'delete drops of w',
    'confirm w',
    'delete hits before 2025-10-16',
    'delete expired batches',
    'forget salts before 2026-11-18',
    'delete salts before 2026-11-18',
  ]);
  expect(later).toContain('delete hits before 2025-10-17');
});

test('the jobs of the engine run as often as it says', () => {
  const { jobs } = jobsAt('2026-11-20T12:00:00Z');

  expect(jobs.find(({ name }: Job) => name === 'of the engine')?.every).toBe(2_000);
});

test('a salt is kept for 48 hours after its day, and no longer', async () => {
  expect(await runAt('2026-11-22T23:59:59.999Z')).toContain('delete salts before 2026-11-20');
  expect(await runAt('2026-11-23T00:00:00.000Z')).toContain('delete salts before 2026-11-21');
});

test('a day ends at midnight in the time zone', async () => {
  expect(await runAt('2026-11-22T22:59:59Z', 'Europe/Berlin')).toContain('delete salts before 2026-11-20');
  expect(await runAt('2026-11-22T23:00:00Z', 'Europe/Berlin')).toContain('delete salts before 2026-11-21');
});
