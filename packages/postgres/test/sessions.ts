import { setTimeout as sleep } from 'node:timers/promises';
import { rowsOf, run } from '@hitherto/testing/databases';

/** Conditions on `pg_stat_activity`: all sessions of Hitherto in this database, and the one for short reads. */
export const OURS = `application_name like 'hitherto %' and datname = current_database()`;
export const READS = `application_name = 'hitherto reads' and datname = current_database()`;
const SLEEPING = `wait_event = 'PgSleep' and datname = current_database()`;

export async function killSessions(url: string, which: string): Promise<void> {
  await run(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${which}`);
}

export async function countSessions(url: string, which: string): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    url,
    `select count(*)::int as count from pg_stat_activity where ${which}`,
  );
  return row?.count ?? 0;
}

/** What a test holds a lock with. */
interface Holding {
  readonly isHeld: () => boolean;
  readonly released: Promise<void>;
}

/**
 * Resolves once a lock is held.
 *
 * @param sql takes the lock, and then sleeps
 */
export async function hold(url: string, sql: string): Promise<Holding> {
  let isHeld = true;
  const release = () => {
    isHeld = false;
  };
  const released = run(url, sql).then(release, release);
  while ((await countSessions(url, SLEEPING)) === 0) await sleep(10);
  return { isHeld: () => isHeld, released };
}
