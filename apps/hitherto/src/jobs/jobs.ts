import type { Database } from '../database.ts';
import type { Job } from './run-jobs.ts';

const MINUTE_MS = 60_000;

/** The background work of the service. */
export function jobsOf({ websites, sessions }: Database, now: () => Date): readonly Job[] {
  return [
    {
      name: 'delete expired idempotency records',
      every: 10 * MINUTE_MS,
      work: async () => {
        await websites.deleteExpiredStoreRecords(now());
        return false;
      },
    },
    {
      name: 'delete expired sessions',
      every: 60 * MINUTE_MS,
      work: async () => {
        await sessions.deleteExpired(now());
        return false;
      },
    },
  ];
}
