import { setTimeout as sleep } from 'node:timers/promises';
import { addWebsites } from '@hitherto/contracts/support/repositories';
import { UNRECORDED } from '@hitherto/domain/changes';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { atOnce, fulfilled, rejected } from '@hitherto/testing/at-once';
import { createDatabase, run, TEMPLATE } from '@hitherto/testing/databases';
import { aWebsite } from '@hitherto/testing/fixtures';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { openPostgres } from '../src/index.ts';
import { openProxied, type Proxied } from './proxied.ts';
import { countSessions, hold, READS } from './sessions.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
let at: Proxied;

beforeEach(async () => {
  at = await openProxied(database);
});

afterEach(() => at.close());
afterAll(() => database.drop());

describe('waiting', () => {
  test('a call that waits too long for a lock is rejected, and others go on', async () => {
    await addWebsites(at.repositories, at.accountId, ['https://locked.example']);
    const [locked] = (await at.repositories.websites.list(wholeAccount(at.accountId), { order: 'newest_first' }, 1))
      .websites;
    if (locked === undefined) throw new Error('It was added.');
    const holding = await hold(
      database.url,
      `do $$ begin update website set email_reports = true where id = '${locked.id}'; perform pg_sleep(3); end $$`,
    );

    const changing = at.repositories.websites.replace(
      at.accountId,
      { ...locked, updatedAt: new Date() },
      locked.updatedAt,
      UNRECORDED,
    );

    await expect(changing).rejects.toMatchObject({ code: 'unavailable' });
    expect(await at.repositories.websites.find(wholeAccount(at.accountId), locked.id)).toMatchObject({ id: locked.id });
    await holding.released;
  });

  test('of many creates at once, only one whose address another transaction holds is rejected', async () => {
    const holding = await hold(
      database.url,
      `do $$ begin
         insert into website (account_id, id, scheme, address, privacy, email_reports, exclude_bots, excluded_params, excluded_ips, aliases, embed_origins, created_at, updated_at)
           values ('${at.accountId}', '${newId()}', 'https', 'held.example', 'private', false, true, '{}', '{}', '{}', '{}', now(), now());
         perform pg_sleep(5);
         raise 'not kept';
       end $$`,
    );

    const results = await atOnce(20, async (index) => {
      const url = index === 10 ? 'https://held.example' : `https://${newId()}.example`;
      await at.repositories.websites.insert(at.accountId, aWebsite({ id: newId(), url }), UNRECORDED);
      return index;
    });

    expect(rejected(results)).toMatchObject([{ code: 'unavailable' }]);
    expect(fulfilled(results)).not.toContain(10);
    expect(holding.isHeld()).toBe(true);
    await holding.released;
  });

  test('many lists of one account leave connections to others', async () => {
    const holding = await hold(
      database.url,
      'begin; lock table website in access exclusive mode; select pg_sleep(1.5); commit',
    );

    const lists = atOnce(40, () =>
      at.repositories.websites.list(wholeAccount(at.accountId), { order: 'newest_first', search: 'a' }, 10),
    );
    expect(await at.repositories.access.findAccount('nobody')).toBeUndefined();

    expect(holding.isHeld()).toBe(true);
    expect(rejected(await lists)).toEqual([]);
    await holding.released;
  });

  test('a call waits no longer than two seconds for a free connection', async () => {
    const holding = await hold(
      database.url,
      'begin; lock table website in access exclusive mode; select pg_sleep(3); commit',
    );

    let refusedMeanwhile = 0;
    const results = await atOnce(40, () =>
      at.repositories.websites.delete(at.accountId, newId(), undefined, UNRECORDED).catch((error: unknown) => {
        if (holding.isHeld()) refusedMeanwhile += 1;
        throw error;
      }),
    );

    for (const reason of rejected(results)) expect(reason).toMatchObject({ code: 'unavailable' });
    // The lock rejects as many as there are connections; the others never had one.
    expect(refusedMeanwhile).toBeGreaterThan(10);
    expect(at.repositories.stats()).toMatchObject({ waiting: 0 });
    await holding.released;
    expect(await at.read()).toBeUndefined();
  });
});

describe('a server that cannot serve', () => {
  test('a server that rejects writes is unavailable to writes only', async () => {
    await run(database.url, `alter database "${database.name}" set default_transaction_read_only = on`);
    await at.killAll();

    await expect(at.repositories.websites.insert(at.accountId, aWebsite(), UNRECORDED)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await at.read()).toBeUndefined();

    await run(inject('postgresUrl'), `alter database "${database.name}" reset default_transaction_read_only`);
    // Each connection that was made before is given up when it rejects.
    await expect.poll(() => at.repositories.websites.insert(at.accountId, aWebsite(), UNRECORDED)).toBeUndefined();
  });

  test('a server that rejects connections is unavailable, whatever its reason', async () => {
    const server = inject('postgresUrl');
    await run(server, `alter database "${database.name}" allow_connections false`);
    try {
      await run(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database.name}'`);
      await expect.poll(() => at.repositories.stats().total).toBe(0);

      await expect(at.read()).rejects.toMatchObject({ code: 'unavailable' });
      await expect(at.repositories.websites.delete(at.accountId, newId(), undefined, UNRECORDED)).rejects.toMatchObject(
        {
          code: 'unavailable',
        },
      );
    } finally {
      await run(server, `alter database "${database.name}" allow_connections true`);
    }
    await expect.poll(() => at.read()).toBeUndefined();
  });

  test('short reads never go to a standby', async () => {
    await run(database.url, 'create function pg_is_in_recovery() returns boolean return true');
    await run(database.url, `alter database "${database.name}" set search_path = public, pg_catalog`);
    const other = openPostgres({ connection: database.url, log: () => {} });
    try {
      expect(await other.websites.find(wholeAccount(at.accountId), newId())).toBeUndefined();
      await sleep(300);

      expect(await countSessions(database.url, READS)).toBe(0);
      expect(await other.websites.find(wholeAccount(at.accountId), newId())).toBeUndefined();
    } finally {
      await other.close();
      await run(database.url, `alter database "${database.name}" reset search_path`);
      await run(database.url, 'drop function public.pg_is_in_recovery()');
    }
  });

  test('an error of the program is passed on as it is', async () => {
    const website = aWebsite({ id: newId(), url: `https://${'x'.repeat(3000)}` });

    await expect(at.repositories.websites.insert(at.accountId, website, UNRECORDED)).rejects.toMatchObject({
      code: '23514',
    });
    // Nor does it affect other creates at the same time.
    const results = await atOnce(20, (index) =>
      at.repositories.websites.insert(
        at.accountId,
        index === 10 ? website : aWebsite({ id: newId(), url: `https://${newId()}.example` }),
        UNRECORDED,
      ),
    );
    expect(rejected(results)).toMatchObject([{ code: '23514' }]);
    await run(database.url, 'alter table website rename to hidden');
    try {
      await expect(at.read()).rejects.toMatchObject({ code: '42P01' });
    } finally {
      await run(database.url, 'alter table hidden rename to website');
    }
    expect(await at.read()).toBeUndefined();
  });
});
