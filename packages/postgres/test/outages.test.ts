import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { addWebsites } from '@hitherto/contracts/support/repositories';
import { NO_BRAND } from '@hitherto/domain/access';
import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { DATABASE_TIMEOUTS } from '../src/connection/timeouts.ts';
import { openPostgres } from '../src/index.ts';
import { openProxied, type Proxied } from './proxied.ts';
import { countSessions, killSessions, OURS, READS } from './sessions.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
let at: Proxied;

beforeEach(async () => {
  at = await openProxied(database);
});

afterEach(() => at.close());
afterAll(() => database.drop());

describe('while the database is away', () => {
  test('every call fails at once as unavailable, without naming the server, until the database is back', async () => {
    await at.proxy.shut();
    const calls: (() => Promise<unknown>)[] = [
      at.read,
      () => at.repositories.websites.list(wholeAccount(at.accountId), { order: 'newest_first' }, 10),
      () => at.repositories.websites.list(wholeAccount(at.accountId), { order: 'newest_first', search: 'a' }, 10),
      () => at.repositories.websites.insert(at.accountId, aWebsite(), UNRECORDED),
      () => at.repositories.websites.replace(at.accountId, aWebsite(), new Date(), UNRECORDED),
      () => at.repositories.websites.delete(at.accountId, newId(), undefined, UNRECORDED),
      () => at.repositories.access.findKeyByHash('x'),
      () =>
        at.repositories.access.insertAccount(
          { id: newId(), name: 'x', createdAt: new Date(), email: null, requiresSecondFactor: false, brand: NO_BRAND },
          UNRECORDED,
        ),
      () => at.repositories.migrate(),
      () => at.repositories.schemaState(),
      () => at.repositories.ping(),
    ];

    for (const reason of rejected(await atOnce(calls.length, async (index) => calls[index]?.()))) {
      expect(reason).toMatchObject({ code: 'unavailable' });
      expect(String(reason)).not.toMatch(/hitherto-proxy|postgres:|ECONN|ENOENT|select/i);
    }
    expect(rejected(await atOnce(calls.length, async (index) => calls[index]?.()))).toHaveLength(calls.length);

    await at.proxy.open();
    expect(await at.read()).toBeUndefined();
    await at.repositories.ping();
    expect(at.logged.filter((line) => line.includes('"warn"'))).toHaveLength(1);
    expect(at.logged.filter((line) => line.includes('responds again'))).toHaveLength(1);
    expect(at.logged.join()).not.toContain('hitherto-proxy');
  });

  test('the database may be away before the first call', async () => {
    await at.proxy.shut();
    const early = openPostgres({ connection: at.proxy.url, log: () => {} });

    await expect(early.websites.find(wholeAccount(at.accountId), newId())).rejects.toMatchObject({
      code: 'unavailable',
    });
    await at.proxy.open();

    expect(await early.websites.find(wholeAccount(at.accountId), newId())).toBeUndefined();
    await early.close();
  });

  test('after all connections are lost, the next call succeeds', async () => {
    await at.untilPipelined();
    await atOnce(20, at.read);

    for (let round = 0; round < 5; round += 1) {
      await at.killAll();
      expect(fulfilled(await atOnce(20, at.read))).toHaveLength(20);
    }
  });

  test('each write during the outage is either done or refused as unavailable', async () => {
    const results = atOnce(200, async (index) => {
      const id = newId();
      await sleep(index);
      await at.repositories.websites.insert(at.accountId, aWebsite({ id, url: `https://${id}.example` }), UNRECORDED);
      return id;
    });
    for (let round = 0; round < 5; round += 1) {
      await sleep(30);
      await killSessions(database.url, OURS);
    }

    const settled = await results;
    // A connection that was ended last may be lent before this side has heard of its end.
    while (rejected(await atOnce(20, at.read)).length > 0) await sleep(20);
    for (const reason of rejected(settled)) expect(reason).toMatchObject({ code: 'unavailable' });
    for (const id of fulfilled(settled))
      expect(await at.repositories.websites.find(wholeAccount(at.accountId), id)).toMatchObject({ id });
  });

  test('a database that stops responding counts as unavailable until it responds again', async () => {
    await at.untilPipelined();
    at.proxy.stall(true);

    const reading = await atOnce(6, async (index) => (index === 0 ? at.repositories.ping() : void (await at.read())));

    expect(rejected(reading)).toHaveLength(6);
    for (const reason of rejected(reading)) expect(reason).toMatchObject({ code: 'unavailable' });
    at.proxy.stall(false);
    expect(fulfilled(await atOnce(20, at.read))).toHaveLength(20);
  });

  test('a connection that is lost within the TLS handshake counts as unavailable', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.end('S')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const other = openPostgres({
      connection: `postgresql://nobody@127.0.0.1:${port}/none?sslmode=require`,
      log: () => {},
    });

    await expect(other.websites.find(wholeAccount(at.accountId), newId())).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(other.migrate()).rejects.toMatchObject({ code: 'unavailable' });

    await other.close();
    server.close();
  });
});

describe('the connection for short reads', () => {
  test('the pool closes although it is stalled', async () => {
    await at.untilPipelined();
    const other = openPostgres({ connection: at.proxy.url, log: () => {} });
    while ((await countSessions(database.url, READS)) !== 2)
      await other.websites.find(wholeAccount(at.accountId), newId());
    await sleep(50);
    at.proxy.stall(true, 'hitherto reads');
    const reading = atOnce(5, () => other.websites.find(wholeAccount(at.accountId), newId()));

    await other.close();

    expect(await reading).toHaveLength(5);
  });

  test('callers do not notice when it is stalled or lost', async () => {
    const [website] = await addWebsites(at.repositories, at.accountId, ['https://reads.example']);
    const find = () => at.repositories.websites.find(wholeAccount(at.accountId), website?.id ?? '');

    for (const disturb of [() => at.proxy.stall(true, 'hitherto reads'), () => killSessions(database.url, READS)]) {
      await at.untilPipelined();
      const reading = atOnce(50, find);
      await disturb();

      expect(fulfilled(await reading)).toEqual(Array.from({ length: 50 }, () => website));
      expect(fulfilled(await atOnce(50, find))).toHaveLength(50);
      at.proxy.stall(false);
    }
    expect(rejected(await atOnce(1, at.untilPipelined))).toEqual([]);
  });

  test('a response may take long while parts of it arrive', async () => {
    const excludedParams = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(250, 'x'));
    const website = aWebsite({ id: newId(), url: 'https://long.example', excludedParams });
    await at.repositories.websites.insert(at.accountId, website, UNRECORDED);
    await at.untilPipelined();
    at.proxy.slow();
    const since = performance.now();

    const found = await atOnce(6, () => at.repositories.websites.find(wholeAccount(at.accountId), website.id));

    expect(fulfilled(found)).toEqual(Array.from({ length: 6 }, () => website));
    expect(performance.now() - since).toBeGreaterThan(DATABASE_TIMEOUTS.stalledRead);
    expect(at.logged).toEqual([]);
  });
});
