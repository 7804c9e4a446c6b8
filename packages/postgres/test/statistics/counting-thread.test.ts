import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { addHits, addWebsite, all, aQuery, at, runJob, settle } from '@hitherto/contracts/statistics/support';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { PostgresRepositories } from '../../src/index.ts';
import { LOCK_ID } from '../../src/statistics/jobs/work-lock.ts';

// A thread runs the last build, and so does the process that starts it.
const { openPostgres }: typeof import('../../src/index.ts') = await import('../../dist/index.js' as string);

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const logged: string[] = [];
const open = (countsInThread: boolean): PostgresRepositories =>
  openPostgres({
    connection: database.url,
    log: (_, message, details) => void logged.push(`${message} ${JSON.stringify(details)}`),
    countsInThread,
  });
const ports = open(true);
let websiteId: string;

beforeAll(async () => {
  ({ websiteId } = await addWebsite(ports));
  const hits = Array.from({ length: 50 }, (_, n) =>
    at('12:00', { websiteId, visitor: BigInt(n), page: `/${n % 3}`, country: n % 2 === 0 ? 'DE' : 'FR' }),
  );
  await addHits(ports, hits);
});

afterAll(async () => {
  await ports.close();
  await database.drop();
});

describe('a thread that counts', () => {
  it('has the numbers that the process itself counts', async () => {
    const here = open(false);
    const read = ({ statistics }: PostgresRepositories) => {
      const filters = all({ dimension: 'country', value: 'DE' });
      const goal = { id: 'a', rule: { page: '/1' }, sum: null };
      return Promise.all([
        statistics.totals(aQuery(websiteId, { until: at('12:30').time })),
        statistics.overview(aQuery(websiteId, { filters, goals: new Map([['a', goal.rule]]) }), DIMENSIONS, 10),
        statistics.series(aQuery(websiteId), 'hour'),
        statistics.values(aQuery(websiteId), 'page', 10),
        statistics.goals(aQuery(websiteId), [goal]),
        statistics.conversions(aQuery(websiteId), goal, 'country'),
        statistics.firstDay(websiteId),
        statistics.hasSums(websiteId, '2026-11-20'),
      ]);
    };

    const [inThread, inProcess] = [await read(ports), await read(here)];
    await here.close();

    expect(inThread).toEqual(inProcess);
    expect(inThread[0]).toMatchObject({ visitors: 50 });
  });

  it('rejects as the process does', async () => {
    await run(database.url, 'update statistics_engine set is_outside = true');

    const reading = ports.statistics.totals(aQuery(websiteId));

    await expect(reading).rejects.toMatchObject({ name: 'DomainError', code: 'unavailable' });
    await run(database.url, 'update statistics_engine set is_outside = false');
  });

  it('that ends rejects its calls as unavailable, and another one goes on', async () => {
    const once = open(true);
    const sent = vi.spyOn(Worker.prototype, 'postMessage');
    const before = await once.statistics.totals(aQuery(websiteId));
    const ended = once.statistics.totals(aQuery(websiteId));
    const [thread] = sent.mock.contexts.slice(-1);
    if (thread instanceof Worker) await thread.terminate();
    sent.mockRestore();

    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
    expect(await once.statistics.totals(aQuery(websiteId))).toEqual(before);
    await once.close();
  });

  it('finishes its calls before it is closed', async () => {
    const once = open(true);
    const reading = once.statistics.totals(aQuery(websiteId));
    await sleep(1);

    await once.close();

    expect(await reading).toMatchObject({ visitors: 50 });
    await expect(once.statistics.totals(aQuery(websiteId))).rejects.toMatchObject({ code: 'unavailable' });
    expect(logged).toEqual([]);
  });
});

describe('a thread that keeps days', () => {
  const book = () => rowsOf(database.url, 'select hits from book order by hits');

  it('stores days that are over, and the process reads them', async () => {
    const before = await ports.statistics.totals(aQuery(websiteId));

    await settle(ports);

    expect(await book()).toEqual([{ hits: 50 }]);
    expect(await ports.statistics.totals(aQuery(websiteId))).toEqual(before);
  });

  it('is interrupted with the process, and starts nothing more', async () => {
    const once = open(true);
    await addHits(once, [at('12:00', { websiteId, visitor: 99n })]);
    await runJob(once, 'hand over hits');
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('select pg_advisory_lock($1)', [LOCK_ID]);
    const settling = settle(once).catch((error: unknown) => error);
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await vi.waitUntil(async () => (await rowsOf(database.url, waiting)).length > 0, { timeout: 20_000 });

    await once.interrupt();

    expect(await settling).toMatchObject({ code: 'unavailable' });
    await expect(settle(once)).rejects.toMatchObject({ code: 'unavailable' });
    await other.end();
    await once.close();
    // Handed over before, and not joined.
    expect(await book()).toEqual([{ hits: 1 }, { hits: 50 }]);
    expect(logged).toEqual([]);
  });
});
