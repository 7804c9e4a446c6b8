import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, rowsOf, run } from '@hitherto/testing/databases';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../src/connection/database.ts';
import { listen } from '../src/connection/listen.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

const server = await createDatabase(inject('postgresUrl'));
afterAll(() => server.drop());

const silent = { isAway: false, lost: () => {}, seen: () => {} };

let proxy: DatabaseProxy;
let database: Database;

beforeEach(async () => {
  proxy = await startProxy(server.url);
  database = openDatabase(proxy.url, 'background', silent, () => {});
});

afterEach(async () => {
  proxy.stall(false);
  await database.close();
  await proxy.close();
});

describe('listen', () => {
  let heard: (string | undefined)[];
  let stopping: AbortController;
  const notify = (payload: string) => run(server.url, `select pg_notify('news', $1)`, [payload]);
  const listening = `select pid from pg_stat_activity where application_name = 'hitherto listen' and datname = current_database()`;
  const heardOf = (payload: string | undefined) => expect.poll(() => heard, { timeout: 10_000 }).toContain(payload);

  beforeEach(async () => {
    heard = [];
    stopping = new AbortController();
    database.listen('news', (payload) => heard.push(payload), stopping.signal);
    await heardOf(undefined);
  });

  afterEach(() => stopping.abort());

  it('receives the notifications of its channel in order', async () => {
    await notify('one');
    await notify('two é🦊');

    await heardOf('two é🦊');
    expect(heard).toEqual([undefined, 'one', 'two é🦊']);
  });

  it.each([
    ['ended', () => run(server.url, `select pg_terminate_backend(pid) from (${listening}) listeners`), () => {}],
    ['stalled', () => proxy.stall(true, 'hitherto listen'), () => proxy.stall(false)],
    ['refused', () => proxy.shut(), () => proxy.open()],
  ])(
    'reports that notifications may have been missed when its connection is %s, and continues',
    async (_, disturb, mend) => {
      heard.length = 0;

      await disturb();
      await heardOf(undefined);
      await mend();

      await expect
        .poll(
          async () => {
            await notify('again');
            return heard;
          },
          { timeout: 10_000, interval: 100 },
        )
        .toContain('again');
    },
  );

  it('ends when its signal aborts', async () => {
    stopping.abort();

    await expect.poll(() => rowsOf(server.url, listening)).toEqual([]);
    await notify('late');
    await sleep(50);
    expect(heard).toEqual([undefined]);
  });

  it('ends when the database is closed', async () => {
    await database.close();

    await expect.poll(() => rowsOf(server.url, listening)).toEqual([]);
    database = openDatabase(proxy.url, 'background', silent, () => {});
  });

  it('keeps nothing of failed attempts', async () => {
    const ending = new AbortController();
    let attempts = 0;
    const onLost = () => {
      attempts += 1;
    };
    listen('postgresql://nobody@127.0.0.1:1/none', 'news', () => {}, ending.signal, {
      isAway: false,
      lost: onLost,
      seen: () => {},
    });

    await expect.poll(() => attempts, { timeout: 10_000 }).toBe(3);

    expect(getEventListeners(ending.signal, 'abort').length).toBeLessThanOrEqual(1);
    ending.abort();
  });
});
