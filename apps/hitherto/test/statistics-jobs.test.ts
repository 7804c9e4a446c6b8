import { type StatisticsMaintenance, timeZone } from '@hitherto/domain';
import { expect, test } from 'vitest';
import { statisticsJobs } from '../src/jobs/statistics-jobs.ts';

/** Runs each job once at this time, and returns the calls that it made. */
async function runAt(now: string, zone = 'UTC'): Promise<string[]> {
  const asked: string[] = [];
  const note = (what: string, response: boolean) => async (day?: string) => {
    asked.push(day === undefined ? what : `${what} ${day}`);
    return response;
  };
  const maintenance: StatisticsMaintenance = {
    prepare: async (day) => void asked.push(`prepare ${day}`),
    updateVisits: note('update visits', true),
    summarise: note('summarise before', false),
    purge: note('purge', false),
    deleteHitsBefore: note('delete hits before', false),
    rebuild: async () => 0,
  };
  const jobs = statisticsJobs({
    maintenance,
    salts: {
      saltOf: async (_day, fresh) => fresh,
      deleteBefore: async (day) => asked.push(`delete salts before ${day}`),
    },
    remembered: { forgetBefore: (day) => asked.push(`forget salts before ${day}`) },
    zone: timeZone(zone),
    retentionDays: 400,
    now: () => new Date(now),
  });
  for (const { work } of jobs) await work(new AbortController().signal);
  return asked;
}

test('background work uses the day in the time zone', async () => {
  const asked = await runAt('2026-11-20T12:00:00Z');
  const later = await runAt('2026-11-20T12:00:00Z', 'Pacific/Kiritimati');

  expect(asked).toEqual([
    'prepare 2026-11-20',
    'update visits',
    'summarise before 2026-11-20',
    'purge',
    'delete hits before 2025-10-16',
    'forget salts before 2026-11-18',
    'delete salts before 2026-11-18',
  ]);
  expect(later).toContain('summarise before 2026-11-21');
});

test('a salt is kept for 48 hours after its day, and no longer', async () => {
  expect(await runAt('2026-11-22T23:59:59.999Z')).toContain('delete salts before 2026-11-20');
  expect(await runAt('2026-11-23T00:00:00.000Z')).toContain('delete salts before 2026-11-21');
});

test('a day ends at midnight in the time zone', async () => {
  expect(await runAt('2026-11-22T22:59:59Z', 'Europe/Berlin')).toContain('delete salts before 2026-11-20');
  expect(await runAt('2026-11-22T23:00:00Z', 'Europe/Berlin')).toContain('delete salts before 2026-11-21');
});
