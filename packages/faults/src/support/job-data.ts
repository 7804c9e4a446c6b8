import assert from 'node:assert/strict';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { Repositories } from '@hitherto/domain/repositories';
import { createInMemoryRepositories } from '@hitherto/memory';
import { newId } from '@hitherto/outside/system';
import { anAccount, aWebsite } from '@hitherto/testing/fixtures';
import type { Random } from '@hitherto/testing/random';
import { readAll } from './numbers.ts';
import { randomHits } from './random-hits.ts';

/** The time for the jobs. */
export const JOBS_NOW = '2026-11-20T12:00:00.000Z';
export const RETENTION_DAYS = 30;
/** The first day whose raw hits are still stored, and the first whose salt is. */
export const KEPT_FROM = '2026-10-21';
export const SALTS_FROM = '2026-11-18';

const FIRST_DAY = '2026-08-25';
const YESTERDAY = '2026-11-19';
const TODAY = '2026-11-20';
const HITS = 300;
const SALT_DAYS = ['2026-11-01', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];

type Ports = Pick<Repositories, 'access' | 'websites' | 'hits' | 'salts'> & StatisticsEngine;

/**
 * Fills an empty, migrated database: two websites with hits of three months, a third one that is deleted, partitions up to
 * last month, and salts of earlier days.
 */
export async function fillForJobs(actual: Ports, random: Random) {
  const expected: Ports = createInMemoryRepositories();
  const both = [actual, expected];
  const account = anAccount({ id: newId() });
  const websites = [newId(), newId(), newId()] as const;
  for (const ports of both) {
    await ports.access.insertAccount(account, UNRECORDED);
    for (const id of websites)
      await ports.websites.insert(account.id, aWebsite({ id, url: `https://${id}.example` }), UNRECORDED);
  }
  const add = async (count: number, firstDay: string, ...ids: [string, ...string[]]) => {
    const [from, to] = [new Date(firstDay), new Date(JOBS_NOW)];
    const hits = randomHits(random, { websites: ids, count, from, to, visitors: 9, pages: 5 });
    for (const ports of both) await ports.hits.add(hits);
  };
  // They make the partitions of that time.
  const earlier = new Date('2026-08-01T12:00:00Z');
  for (const { work } of actual.maintenance.jobs(() => earlier)) await work(new AbortController().signal);
  await add(HITS, FIRST_DAY, ...websites);
  // Its day is not over.
  await add(1, TODAY, websites[0]);
  const salts = new Map<string, Uint8Array>();
  for (const day of SALT_DAYS) salts.set(day, await actual.salts.saltOf(day, Buffer.from(random.word(32))));
  for (const ports of both) await ports.websites.delete(account.id, websites[2], undefined, UNRECORDED);

  return {
    /** Adds hits of the day before: raw hits of earlier days may be gone, and the program accepts no older ones. */
    addLateHits: () => add(20, YESTERDAY, websites[0], websites[1]),
    /** @throws if a number differs from the in-memory adapter's, on which nothing was killed */
    async check() {
      for (const id of websites) assert.deepEqual(await readAll(actual, id), await readAll(expected, id));
      for (const [day, salt] of salts) {
        const kept = await actual.salts.saltOf(day, Buffer.alloc(32));
        const isKept = Buffer.compare(kept, salt) === 0;
        if (isKept !== day >= SALTS_FROM) throw new Error(`The salt of ${day} is ${isKept ? 'kept' : 'gone'}.`);
      }
    },
  };
}
