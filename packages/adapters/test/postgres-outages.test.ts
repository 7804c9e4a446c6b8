import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { aWebsite } from '@hitherto/domain/testing';
import { createDatabase, rowsOf, run, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { newId } from '../src/ids.ts';
import { DATABASE_TIMEOUTS } from '../src/postgres/connection/timeouts.ts';
import { openPostgres, type PostgresRepositories } from '../src/postgres/index.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { addAccount, addWebsites, atOnce, fulfilled, rejected } from './repositories.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
afterAll(() => database.drop());

const ARE_OURS = `application_name like 'hitherto %' and datname = current_database()`;
const READS = `application_name = 'hitherto reads' and datname = current_database()`;

describe('an outage of the database', () => {
  let proxy: DatabaseProxy;
  let repositories: PostgresRepositories;
  let accountId: string;
  let logged: string[];

  beforeEach(async () => {
    proxy = await startProxy(database.url);
    logged = [];
    repositories = openPostgres({
      connection: proxy.url,
      log: (level, message, details) => logged.push(JSON.stringify([level, message, details])),
    });
    accountId = await addAccount(repositories);
  });

  afterEach(async () => {
    proxy.stall(false);
    await repositories.close();
    await proxy.close();
  });

  const read = () => repositories.websites.find(accountId, newId());
  const kill = (which: string) =>
    run(database.url, `select pg_terminate_backend(pid) from pg_stat_activity where ${which}`);
  const countOf = async (which: string) => {
    const [row] = await rowsOf<{ count: number }>(
      database.url,
      `select count(*)::int as count from pg_stat_activity where ${which}`,
    );
    return row?.count;
  };
  /** Ends every connection, and waits until the pool has heard of it. */
  const killAll = async () => {
    await kill(ARE_OURS);
    while (repositories.stats().total > 0) await sleep(5);
  };
  /** Until the transaction that holds a lock has it. */
  const untilHeld = async () => {
    while ((await countOf(`wait_event = 'PgSleep' and datname = current_database()`)) === 0) await sleep(10);
  };
  /** Until short reads have their own connection. */
  const untilPipelined = async () => {
    while ((await countOf(READS)) === 0) {
      await read();
      await sleep(20);
    }
    await sleep(50);
  };

  it('makes every call fail as unavailable, at once and without a word about the server, and ends by itself', async () => {
    await proxy.shut();
    const calls: (() => Promise<unknown>)[] = [
      read,
      () => repositories.websites.list(accountId, { order: 'newest_first' }, 10),
      () => repositories.websites.list(accountId, { order: 'newest_first', search: 'a' }, 10),
      () => repositories.websites.insert(accountId, aWebsite()),
      () => repositories.websites.replace(accountId, aWebsite(), new Date()),
      () => repositories.websites.delete(accountId, newId()),
      () => repositories.access.findKeyByHash('x'),
      () => repositories.access.insertAccount({ id: newId(), name: 'x', createdAt: new Date(), email: null }),
      () => repositories.transfer.exportAll()[Symbol.asyncIterator]().next(),
      () => repositories.migrate(),
      () => repositories.schemaState(),
      () => repositories.ping(),
    ];

    for (const reason of rejected(await atOnce(calls.length, async (index) => calls[index]?.()))) {
      expect(reason).toMatchObject({ code: 'unavailable' });
      expect(String(reason)).not.toMatch(/hitherto-proxy|postgres:|ECONN|ENOENT|select/i);
    }
    expect(rejected(await atOnce(calls.length, async (index) => calls[index]?.()))).toHaveLength(calls.length);

    await proxy.open();
    expect(await read()).toBeUndefined();
    await repositories.ping();
    expect(logged.filter((line) => line.includes('"warn"'))).toHaveLength(1);
    expect(logged.filter((line) => line.includes('responds again'))).toHaveLength(1);
    expect(logged.join()).not.toContain('hitherto-proxy');
  });

  it('may be there before the first call', async () => {
    await proxy.shut();
    const early = openPostgres({ connection: proxy.url, log: () => {} });

    await expect(early.websites.find(accountId, newId())).rejects.toMatchObject({ code: 'unavailable' });
    await proxy.open();

    expect(await early.websites.find(accountId, newId())).toBeUndefined();
    await early.close();
  });

  it('that ends every connection is over with the next call', async () => {
    await untilPipelined();
    await atOnce(20, read);

    for (let round = 0; round < 5; round += 1) {
      await killAll();
      expect(fulfilled(await atOnce(20, read))).toHaveLength(20);
    }
  });

  it('in the middle of writes leaves each either done or refused as unavailable', async () => {
    const results = atOnce(200, async (index) => {
      const id = newId();
      await sleep(index);
      await repositories.websites.insert(accountId, aWebsite({ id, url: `https://${id}.example` }));
      return id;
    });
    for (let round = 0; round < 5; round += 1) {
      await sleep(30);
      await kill(ARE_OURS);
    }

    const settled = await results;
    // A connection that was ended last may be lent before this side has heard of its end.
    while (rejected(await atOnce(20, read)).length > 0) await sleep(20);
    for (const reason of rejected(settled)) expect(reason).toMatchObject({ code: 'unavailable' });
    for (const id of fulfilled(settled)) expect(await repositories.websites.find(accountId, id)).toMatchObject({ id });
  });

  it('that gives no sign of itself is noticed, and over once it responds again', async () => {
    await untilPipelined();
    proxy.stall(true);

    const reading = await atOnce(6, async (index) => (index === 0 ? repositories.ping() : void (await read())));

    expect(rejected(reading)).toHaveLength(6);
    for (const reason of rejected(reading)) expect(reason).toMatchObject({ code: 'unavailable' });
    proxy.stall(false);
    expect(fulfilled(await atOnce(20, read))).toHaveLength(20);
  });

  it('does not keep the pool from closing', async () => {
    await untilPipelined();
    const other = openPostgres({ connection: proxy.url, log: () => {} });
    while ((await countOf(READS)) !== 2) await other.websites.find(accountId, newId());
    await sleep(50);
    proxy.stall(true, 'hitherto reads');
    const reading = atOnce(5, () => other.websites.find(accountId, newId()));

    await other.close();

    expect(await reading).toHaveLength(5);
  });

  it('of the connection for short reads alone is no caller’s concern', async () => {
    const [website] = await addWebsites(repositories, accountId, ['https://reads.example']);
    const find = () => repositories.websites.find(accountId, website?.id ?? '');

    for (const disturb of [() => proxy.stall(true, 'hitherto reads'), () => kill(READS)]) {
      await untilPipelined();
      const reading = atOnce(50, find);
      await disturb();

      expect(fulfilled(await reading)).toEqual(Array.from({ length: 50 }, () => website));
      expect(fulfilled(await atOnce(50, find))).toHaveLength(50);
      proxy.stall(false);
    }
    expect(rejected(await atOnce(1, untilPipelined))).toEqual([]);
  });

  it('is not what long responses are, as long as some of them comes', async () => {
    const excludedParams = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(250, 'x'));
    const website = aWebsite({ id: newId(), url: 'https://long.example', excludedParams });
    await repositories.websites.insert(accountId, website);
    await untilPipelined();
    proxy.slow();
    const since = performance.now();

    const found = await atOnce(6, () => repositories.websites.find(accountId, website.id));

    expect(fulfilled(found)).toEqual(Array.from({ length: 6 }, () => website));
    expect(performance.now() - since).toBeGreaterThan(DATABASE_TIMEOUTS.stalledRead);
    expect(logged).toEqual([]);
  });

  it('is told as one where it comes within the TLS handshake', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end('S')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const other = openPostgres({
      connection: `postgresql://nobody@127.0.0.1:${port}/none?sslmode=require`,
      log: () => {},
    });

    await expect(other.websites.find(accountId, newId())).rejects.toMatchObject({ code: 'unavailable' });
    await expect(other.migrate()).rejects.toMatchObject({ code: 'unavailable' });

    await other.close();
    server.close();
  });

  it('is not what a long wait for a lock is: that one call is refused, the others go on', async () => {
    await addWebsites(repositories, accountId, ['https://locked.example']);
    const [locked] = (await repositories.websites.list(accountId, { order: 'newest_first' }, 1)).websites;
    if (locked === undefined) throw new Error('It was added.');
    const holding = run(
      database.url,
      `do $$ begin update website set email_reports = true where id = '${locked.id}'; perform pg_sleep(3); end $$`,
    );
    await untilHeld();

    const changing = repositories.websites.replace(accountId, { ...locked, updatedAt: new Date() }, locked.updatedAt);

    await expect(changing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await repositories.websites.find(accountId, locked.id)).toMatchObject({ id: locked.id });
    await holding;
  });

  it('is not what an address is that another transaction holds: of many creates at once the others go on', async () => {
    const holding = run(
      database.url,
      `do $$ begin
         insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params, excluded_ips, created_at, updated_at)
           values ('${accountId}', '${newId()}', 'https', 'held.example', 'private', false, true, '{}', '{}', now(), now());
         perform pg_sleep(5);
         raise 'not kept';
       end $$`,
    ).catch(() => {});
    await untilHeld();
    let isHeld = true;
    void holding.then(() => {
      isHeld = false;
    });

    const results = await atOnce(20, async (index) => {
      const url = index === 10 ? 'https://held.example' : `https://${newId()}.example`;
      await repositories.websites.insert(accountId, aWebsite({ id: newId(), url }));
      return index;
    });

    expect(rejected(results)).toMatchObject([{ code: 'unavailable' }]);
    expect(fulfilled(results)).not.toContain(10);
    expect(isHeld).toBe(true);
    await holding;
  });

  it('does not look like a server that refuses to be written to', async () => {
    await run(database.url, `alter database "${database.name}" set default_transaction_read_only = on`);
    await killAll();

    await expect(repositories.websites.insert(accountId, aWebsite())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await read()).toBeUndefined();

    await run(inject('postgresUrl'), `alter database "${database.name}" reset default_transaction_read_only`);
    // Each connection that was made before is given up when it refuses.
    await expect.poll(() => repositories.websites.insert(accountId, aWebsite())).toBeUndefined();
  });

  it('is not what many lists of one account are: they leave connections to the others', async () => {
    const holding = run(
      database.url,
      'begin; lock table website in access exclusive mode; select pg_sleep(1.5); commit',
    );
    await untilHeld();
    let isHeld = true;
    void holding.then(() => {
      isHeld = false;
    });

    const lists = atOnce(40, () => repositories.websites.list(accountId, { order: 'newest_first', search: 'a' }, 10));
    expect(await repositories.access.findAccount('nobody')).toBeUndefined();

    expect(isHeld).toBe(true);
    expect(rejected(await lists)).toEqual([]);
    await holding;
  });

  it('is not seen through a standby: short reads go to a server that is none', async () => {
    await run(database.url, 'create function pg_is_in_recovery() returns boolean return true');
    await run(database.url, `alter database "${database.name}" set search_path = public, pg_catalog`);
    const other = openPostgres({ connection: database.url, log: () => {} });
    try {
      expect(await other.websites.find(accountId, newId())).toBeUndefined();
      await sleep(300);

      expect(await countOf(READS)).toBe(0);
      expect(await other.websites.find(accountId, newId())).toBeUndefined();
    } finally {
      await other.close();
      await run(database.url, `alter database "${database.name}" reset search_path`);
      await run(database.url, 'drop function public.pg_is_in_recovery()');
    }
  });

  it('is not made of a fault of the program, which is passed on as it is', async () => {
    const website = aWebsite({ id: newId(), url: `https://${'x'.repeat(3000)}` });

    await expect(repositories.websites.insert(accountId, website)).rejects.toMatchObject({ code: '23514' });
    // Nor does it affect other creates at the same time.
    const results = await atOnce(20, (index) =>
      repositories.websites.insert(
        accountId,
        index === 10 ? website : aWebsite({ id: newId(), url: `https://${newId()}.example` }),
      ),
    );
    expect(rejected(results)).toMatchObject([{ code: '23514' }]);
    await run(database.url, 'alter table website rename to hidden');
    try {
      await expect(read()).rejects.toMatchObject({ code: '42P01' });
    } finally {
      await run(database.url, 'alter table hidden rename to website');
    }
    expect(await read()).toBeUndefined();
  });

  it('waits in line no longer than two seconds where all connections are in use', async () => {
    const holding = run(
      database.url,
      'begin; lock table website in access exclusive mode; select pg_sleep(2.6); commit',
    );
    await untilHeld();

    const started = performance.now();
    const results = await atOnce(40, () => repositories.websites.delete(accountId, newId()));

    for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'unavailable' });
    expect(rejected(results).length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(repositories.stats()).toMatchObject({ waiting: 0 });
    await holding;
    expect(await read()).toBeUndefined();
  });
});
