import { getEventListeners } from 'node:events';
import { createInMemoryRepositories } from '@hitherto/adapters/in-memory';
import { timeZone } from '@hitherto/domain';
import { expect, test } from 'vitest';
import { reportJobs } from '../src/jobs/report-jobs.ts';

test('a job that sends reports leaves no listener at the signal of the stop', async () => {
  const { outbox, statistics } = createInMemoryRepositories();
  const jobs = reportJobs({
    outbox,
    statistics,
    mailer: { send: async () => {} },
    zone: timeZone('UTC'),
    now: () => new Date('2026-11-23T09:00:00Z'),
    clock: { now: () => 0, sleep: async () => {} },
    linksOf: async () => ({ pageUrl: undefined, unsubscribeUrl: undefined }),
    messageHost: 'stats.example',
    onReport: () => {},
  });
  const { signal } = new AbortController();

  for (const { work } of jobs) await work(signal);

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
