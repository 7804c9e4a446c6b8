import { getEventListeners } from 'node:events';
import { timeZone } from '@hitherto/domain/calendar';
import { createMetrics } from '@hitherto/http';
import { createInMemoryRepositories } from '@hitherto/memory';
import { ENGLISH } from '@hitherto/words';
import { expect, test } from 'vitest';
import { reportJobs } from '../src/jobs/jobs.ts';
import { recordReportOutcomes } from '../src/service/record-outcomes.ts';

test('a job that sends reports leaves no listener at the signal of the stop', async () => {
  const repositories = createInMemoryRepositories();
  const jobs = reportJobs({
    ...repositories,
    mailer: { send: async () => {} },
    zone: timeZone('UTC'),
    now: () => new Date('2026-11-23T09:00:00Z'),
    clock: { now: () => 0, sleep: async () => {} },
    linksOf: async () => ({ pageUrl: undefined, unsubscribeUrl: undefined }),
    messageHost: 'stats.example',
    locale: ENGLISH,
    onReport: () => {},
  });
  const { signal } = new AbortController();

  for (const { work } of jobs) await work(signal);

  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the log has the error of a report that could not be made, without its data', () => {
  const logged: unknown[] = [];
  const record = recordReportOutcomes(createMetrics(), (...line) => logged.push(line));
  const tried = { websiteId: 'a', period: '2026-W47', detail: 'an internal error' };

  record({ outcome: 'retried', ...tried, error: new TypeError('canary') });

  expect(logged).toMatchObject([['warn', 'report', { error: { name: 'TypeError' } }]]);
  expect(JSON.stringify(logged)).not.toContain('canary');
});
