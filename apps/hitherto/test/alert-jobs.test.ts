import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { expect, test } from 'vitest';
import { alertJobs } from '../src/jobs/jobs.ts';

test('records of mails of alerts are deleted after 30 days, also without a mail server', async () => {
  const deleted: string[] = [];
  const repositories = createInMemoryRepositories();
  const now = () => new Date('2026-11-20T12:00:00Z');
  const zone = timeZone('UTC');
  const checker = { ...repositories, zone, now, newId, pageUrlOf: () => undefined, onFired: () => {} };
  const jobs = alertJobs(checker, undefined, {
    ...repositories.tasks,
    deleteBefore: async (kind, time) => deleted.push(`${kind} before ${time.toISOString()}`),
  });

  for (const { work } of jobs) await work(new AbortController().signal);

  expect(deleted).toEqual(['alert before 2026-10-21T12:00:00.000Z']);
});
