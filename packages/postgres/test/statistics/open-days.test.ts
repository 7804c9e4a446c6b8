import { stageSums } from '@hitherto/contracts/statistics/imports-support';
import { addHits, addWebsite, all, aQuery, at, rebuild } from '@hitherto/contracts/statistics/support';
import { timeZone } from '@hitherto/domain/calendar';
import { UNRECORDED } from '@hitherto/domain/changes';
import type { CountedHit } from '@hitherto/domain/hits';
import { NO_IMPORT_COUNTS } from '@hitherto/domain/imports';
import { newId } from '@hitherto/outside/system';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/connection/database.ts';
import type { Transaction } from '../../src/connection/transaction.ts';
import { openPostgres } from '../../src/index.ts';
import { writeHits } from '../../src/journal/journalled-hits.ts';
import { createStatisticsRepository } from '../../src/statistics/reading/statistics-repository.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const open = () => openPostgres({ connection: database.url, log: () => {} });
const ports = open();
let websiteId: string;
let website: Awaited<ReturnType<typeof addWebsite>>;

afterAll(async () => {
  await ports.close();
  await database.drop();
});

const VISITORS = 40;
const SIGNUP = { id: 'signup', rule: { event: 'Signup', props: {} }, sum: 'amount' };
const VIEW = { id: 'view', rule: { page: '/a*' }, sum: null };
const STEPS = [VIEW.rule, SIGNUP.rule];

/** Visitors alternate between both ends of their numbers. */
const numberOf = (visitor: number) => BigInt(visitor) * (visitor % 2 === 0 ? 1n : -1n) + 1n;

const hitsOf = (visitor: number, hour = '12'): CountedHit[] => [
  at(`${hour}:00`, { websiteId, visitor: numberOf(visitor), page: '/a/1' }),
  at(`${hour}:01`, { websiteId, visitor: numberOf(visitor), name: 'Signup', props: { amount: 1.5, plan: '"π"' } }),
];

const hitsOfDayBefore = (visitor: number): CountedHit[] => {
  const [day, time] = ['2026-11-19', new Date('2026-11-19T12:00:00Z')];
  return hitsOf(visitor).map((hit) => ({ ...hit, day, time }));
};

beforeEach(async () => {
  await clearStatistics(database.url);
  website = await addWebsite(ports);
  ({ websiteId } = website);
  await addHits(ports, Array.from({ length: VISITORS }, (_, visitor) => hitsOf(visitor)).flat());
});

/** Reads the two days that have hits. */
const read = async ({ statistics } = ports) => {
  const query = aQuery(websiteId, { from: '2026-11-19' });
  return {
    goals: await statistics.goals(query, [SIGNUP, VIEW]),
    funnel: await statistics.funnel(query, { steps: STEPS, isStrict: false }),
  };
};

/** Reads again what was read before, and for the first time. */
async function readTwice() {
  const first = open();
  const [again, expected] = [await read(), await read(first)];
  await first.close();
  return { again, expected };
}

const conversions = ({ goals }: Awaited<ReturnType<typeof read>>) => goals.map((numbers) => numbers.conversions);

describe('goals and funnels of a day that is not over, read again,', () => {
  const afterOf = async (change: () => Promise<unknown>) => {
    await read();
    await change();
    return readTwice();
  };

  it('count a hit of a new visitor', async () => {
    const { again, expected } = await afterOf(() => addHits(ports, hitsOf(VISITORS)));

    expect(conversions(again)).toEqual([41, 41]);
    expect(again).toEqual(expected);
  });

  it('count a hit that joins a visit', async () => {
    const late = at('12:05', { websiteId, visitor: numberOf(3), name: 'Signup', props: { amount: 2 } });
    const { again, expected } = await afterOf(() => addHits(ports, [late]));

    expect(again.goals[0]).toMatchObject({ visitors: 40, visits: 40, conversions: 41, sum: '62.00' });
    expect(again).toEqual(expected);
  });

  it('count hits of many visitors', async () => {
    const { again, expected } = await afterOf(() =>
      addHits(ports, Array.from({ length: 60 }, (_, visitor) => hitsOf(VISITORS / 2 + visitor, '18')).flat()),
    );

    expect(conversions(again)).toEqual([100, 100]);
    expect(again).toEqual(expected);
  });

  it('count hits of one of two days', async () => {
    await addHits(ports, hitsOfDayBefore(5));
    const { again, expected } = await afterOf(() => addHits(ports, hitsOf(5, '18')));

    expect(again.goals[0]).toMatchObject({ visitors: 41, visits: 42, conversions: 42 });
    expect(again).toEqual(expected);
  });

  it('count hits of both days', async () => {
    await addHits(ports, hitsOfDayBefore(5));
    const { again, expected } = await afterOf(() => addHits(ports, [...hitsOfDayBefore(6), ...hitsOf(5, '18')]));

    expect(again.goals[0]).toMatchObject({ visitors: 42, visits: 43, conversions: 43 });
    expect(again).toEqual(expected);
  });

  const importHits = async (hits: readonly CountedHit[]) => {
    const id = await stageSums(ports, website, []);
    await ports.staging.stage(id, hits);
    await ports.staging.publish(id, NO_IMPORT_COUNTS, new Date('2026-11-20'), undefined, undefined);
    return id;
  };

  it('count and leave out the hits of an import', async () => {
    let id = '';
    const { again: added } = await afterOf(async () => {
      id = await importHits(hitsOf(VISITORS));
    });
    const { again, expected } = await afterOf(() => ports.staging.remove(id, new Date(), UNRECORDED));

    expect([conversions(added), conversions(again)]).toEqual([
      [41, 41],
      [40, 40],
    ]);
    expect(again).toEqual(expected);
  });

  it('leave out removed hits while as many were added', async () => {
    const id = await importHits(hitsOf(VISITORS));
    const late = at('12:05', { websiteId, visitor: numberOf(3), name: 'Signup', props: { amount: 2 } });
    const { again, expected } = await afterOf(async () => {
      await ports.staging.remove(id, new Date(), UNRECORDED);
      await addHits(ports, [late, late]);
    });

    expect(conversions(again)).toEqual([42, 40]);
    expect(again).toEqual(expected);
  });

  it('are the same after a rebuild', async () => {
    const before = await read();
    await rebuild(ports);

    expect(await readTwice()).toEqual({ again: before, expected: before });
  });

  it('count a hit whose transaction began before they were read and ended afterwards', async () => {
    const writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    await writer.query(`
      begin;
      insert into journal_batch (id, hit_count, website_numbers, hits)
      select '${newId()}', 2, website_numbers, '${writeHits(hitsOf(5, '18'), [websiteId])}' from journal_batch;
      insert into added_hits select id, website_numbers[1], '2026-11-20', 2 from journal_batch where hit_count = 2`);
    await addHits(ports, hitsOf(VISITORS));
    const before = await read();
    await writer.query('commit');
    await writer.end();
    const { again, expected } = await readTwice();

    expect(conversions(before)).toEqual([41, 41]);
    expect(conversions(again)).toEqual([42, 42]);
    expect(again).toEqual(expected);
  });

  it('read new hits alone', async () => {
    const { again } = await afterOf(async () => {
      await run(database.url, 'delete from journal_batch');
      await addHits(ports, hitsOf(6, '18'));
    });

    expect(again.goals[0]).toMatchObject({ visitors: 40, visits: 41, conversions: 41, sum: '61.50' });
    expect(again.funnel).toEqual([
      { visits: 41, visitors: 40 },
      { visits: 41, visitors: 40 },
    ]);
  });

  it('read all hits again after a restart of the server', async () => {
    const pool = openDatabase(database.url, 'statistics', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    /** When the server was started, in SQL. */
    let started = 'pg_postmaster_start_time()';
    const restarting: Database = {
      ...pool,
      transaction: (work, options) =>
        pool.transaction((transaction) => {
          const query: Transaction['query'] = (statement) =>
            transaction.query({ ...statement, text: statement.text.replace('pg_postmaster_start_time()', started) });
          return work({ ...transaction, query });
        }, options),
    };
    const statistics = createStatisticsRepository(restarting, timeZone('UTC'));
    const count = async () => (await statistics.goals(aQuery(websiteId), [SIGNUP]))[0]?.conversions;
    await count();
    await run(
      database.url,
      `update journal_batch set hits = (
         select string_agg(line, E'\\n') from regexp_split_to_table(hits, E'\\n') line
         where line not like '%"visitor":"${BigInt.asUintN(64, numberOf(5))}"%'
       )`,
    );

    const known = await count();
    started = 'now()';
    const restarted = await count();
    await pool.close();

    expect([known, restarted]).toEqual([40, 39]);
  });

  it('are counted again from a snapshot that is older than what was read meanwhile', async () => {
    const pool = openDatabase(database.url, 'statistics', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    let isFirst = true;
    const slow: Database = {
      ...pool,
      transaction: (work, options) =>
        pool.transaction(async (transaction) => {
          const query: Transaction['query'] = async (statement) => {
            const result = await transaction.query(statement);
            if (isFirst) {
              isFirst = false;
              await addHits(ports, hitsOf(VISITORS));
              await statistics.goals(aQuery(websiteId), [SIGNUP]);
            }
            return result;
          };
          return work({ ...transaction, query });
        }, options),
    };
    const statistics = createStatisticsRepository(slow, timeZone('UTC'));
    const [goal] = await statistics.goals(aQuery(websiteId), [SIGNUP]);
    await pool.close();

    expect(goal?.conversions).toBe(41);
  });

  it('do not wait for one another within a transaction', async () => {
    const pool = openDatabase(database.url, 'statistics', { isAway: false, lost: () => {}, seen: () => {} }, () => {});
    let [begun, open, goOn] = [0, 0, () => {}];
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const holding: Database = {
      ...pool,
      transaction: (work, options) =>
        pool.transaction(async (transaction) => {
          begun += 1;
          open += 1;
          const copyOut: Transaction['copyOut'] = async function* (text) {
            await held;
            yield* transaction.copyOut(text);
          };
          return work({ ...transaction, copyOut }).finally(() => {
            open -= 1;
          });
        }, options),
    };
    const statistics = createStatisticsRepository(holding, timeZone('UTC'));
    const reads = [1, 2, 3].map(() => statistics.goals(aQuery(websiteId), [SIGNUP]));

    await vi.waitFor(() => expect([begun, open]).toEqual([3, 1]));
    goOn();
    const numbers = await Promise.all(reads);
    await pool.close();

    expect(numbers.map(([goal]) => goal?.conversions)).toEqual([40, 40, 40]);
  });

  it('count the visits that a filter chooses', async () => {
    const query = aQuery(websiteId, { filters: all({ dimension: 'page', value: '/a/1' }) });
    await read();
    const [before] = await ports.statistics.goals(query, [SIGNUP]);
    await addHits(ports, hitsOf(7, '18'));
    const [after] = await ports.statistics.goals(query, [SIGNUP]);

    expect([before?.conversions, after?.conversions]).toEqual([40, 41]);
  });
});
