import { createDatabase, rowsOf, run } from '@hitherto/testing/databases';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { type Database, MAX_CONNECTIONS, openDatabase } from '../src/connection/database.ts';
import { sessionSettings } from '../src/connection/settings.ts';
import type { Transaction } from '../src/connection/transaction.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';

const server = await createDatabase(inject('postgresUrl'));
await run(server.url, 'create table item (name text primary key)');
afterAll(() => server.drop());

const silent = { isAway: false, lost: () => {}, seen: () => {} };
const text = (statement: string) => ({ text: statement, values: [] });
const insert = (name: string) => ({ text: 'insert into item values ($1)', values: [name] });
const names = async () => (await rowsOf<{ name: string }>(server.url, 'select name from item')).map(({ name }) => name);

let proxy: DatabaseProxy;
let database: Database;

beforeEach(async () => {
  await run(server.url, 'truncate item');
  proxy = await startProxy(server.url);
  database = openDatabase(proxy.url, 'background', silent, () => {});
});

afterEach(async () => {
  proxy.stall(false);
  await database.close();
  await proxy.close();
});

describe('a connection', () => {
  it.each(Object.keys(MAX_CONNECTIONS) as (keyof typeof MAX_CONNECTIONS)[])(
    'for the purpose "%s" has its settings',
    async (purpose) => {
      const other = openDatabase(server.url, purpose, silent, () => {});
      const settings = sessionSettings(purpose);

      const { rows } = await other.query<{ name: string; value: string }>({
        text: `select name, case unit when 'ms' then setting else current_setting(name) end as value
          from pg_settings where name = any($1)`,
        values: [Object.keys(settings)],
      });

      const expected = Object.entries(settings).map(([name, value]) => ({ name, value: String(value) }));
      expect(rows.sort((a, b) => (a.name > b.name ? 1 : -1))).toEqual(
        expected.sort((a, b) => (a.name > b.name ? 1 : -1)),
      );
      await other.close();
    },
  );
});

describe('an interruption', () => {
  it('undoes running work, also on the server, and rejects all further work', async () => {
    const direct = openDatabase(server.url, 'background', silent, () => {});
    let hasBegun = () => {};
    const begun = new Promise<void>((resolve) => (hasBegun = resolve));
    const work = direct.transaction(async (transaction) => {
      await transaction.query(insert('a'));
      hasBegun();
      await transaction.query(text('select pg_sleep(600)'));
    });
    await begun;

    await Promise.all([expect(work).rejects.toMatchObject({ code: 'unavailable' }), direct.interrupt()]);

    await expect(direct.query(insert('b'))).rejects.toMatchObject({ code: 'unavailable' });
    await direct.close();
    // It would wait for the lock of a session that goes on.
    await run(server.url, 'set lock_timeout = 1000; truncate item');
  });
});

it('a database that is being closed reports no lost connection', async () => {
  const lost: unknown[] = [];
  const direct = openDatabase(server.url, 'background', { ...silent, lost: (error) => lost.push(error) }, () => {});
  const sessions = await direct.query<{ session: number }>(text('select pg_backend_pid() as session'));
  const work = direct.query(text('select pg_sleep(600)'));
  const closing = direct.close();

  await Promise.all([
    expect(work).rejects.toMatchObject({ code: 'unavailable' }),
    run(server.url, 'select pg_terminate_backend($1)', [sessions.rows[0]?.session]),
  ]);

  await closing;
  expect(lost).toEqual([]);
});

describe('a transaction', () => {
  it('is committed when its work is done, and resolves to its result', async () => {
    const result = await database.transaction(async (transaction) => {
      await transaction.query(insert('a'));
      await transaction.query(insert('b'));
      return 'done';
    });

    expect(result).toBe('done');
    expect(await names()).toEqual(['a', 'b']);
  });

  it('is rolled back when its work throws, and its connection stays usable', async () => {
    const failure = new Error('of the work');

    const work = database.transaction(async (transaction) => {
      await transaction.query(insert('a'));
      throw failure;
    });

    await expect(work).rejects.toBe(failure);
    expect(await names()).toEqual([]);
    await database.query(insert('b'));
    expect(database.stats()).toMatchObject({ total: 1, idle: 1 });
  });

  it('is an error if its work ignored a failed statement', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert('a'));
      await transaction.query(insert('a')).catch(() => {});
    });

    await expect(work).rejects.toThrow(/rolled back/);
    expect(await names()).toEqual([]);
  });

  it('sees one point in time with a snapshot, and cannot write', async () => {
    const count = async (transaction: Transaction) => (await transaction.query(text('select from item'))).count;

    await database.transaction(
      async (transaction) => {
        expect(await count(transaction)).toBe(0);
        await run(server.url, `insert into item values ('a')`);
        expect(await count(transaction)).toBe(0);
      },
      { snapshot: true },
    );

    const writing = database.transaction((transaction) => transaction.query(insert('b')), { snapshot: true });
    await expect(writing).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('fails as unavailable and leaves nothing when its connection is lost', async () => {
    const work = database.transaction(async (transaction) => {
      await transaction.query(insert('a'));
      await proxy.shut();
    });

    await expect(work).rejects.toMatchObject({ code: 'unavailable' });
    expect(await names()).toEqual([]);
    await proxy.open();
    await database.query(insert('b'));
  });

  it('fails as unavailable when its connection has lost a prepared statement, and the next one prepares it again', async () => {
    const prepared = { name: 'prepared', text: 'select from item', values: [] };
    const count = () => database.transaction((transaction) => transaction.query(prepared));
    await count();
    await database.transaction((transaction) => transaction.query(text('deallocate all')));

    await expect(count()).rejects.toMatchObject({ code: 'unavailable' });

    expect(await count()).toMatchObject({ count: 0 });
  });
});

describe('copy', () => {
  const copy = (rows: Iterable<Buffer | string> | AsyncIterable<Buffer | string>) =>
    database.transaction((transaction) => transaction.copy('copy item from stdin', rows));

  it('writes rows of text and bytes, and returns their number', async () => {
    expect(await copy(['a\n', Buffer.from('é🦊\n'), 'b\nc\n'])).toBe(4);

    expect((await names()).sort()).toEqual(['a', 'b', 'c', 'é🦊']);
  });

  it('writes more than any buffer holds', async () => {
    const rows = async function* () {
      for (let index = 0; index < 300; index += 1) yield Buffer.from(`${index}${'x'.repeat(2000)}\n`);
    };

    expect(await copy(rows())).toBe(300);
  });

  it('writes nothing if there are no rows', async () => {
    expect(await copy([])).toBe(0);
  });

  it('writes nothing if a row is rejected, and its connection stays usable', async () => {
    await expect(copy(['a\n', 'a\n'])).rejects.toMatchObject({ code: '23505' });

    expect(await names()).toEqual([]);
    await database.query(insert('b'));
  });

  it('writes nothing if reading the rows fails', async () => {
    const rows = async function* () {
      yield 'a\n';
      throw new Error('of the rows');
    };

    await expect(copy(rows())).rejects.toThrow('of the rows');

    expect(await names()).toEqual([]);
    await database.query(insert('b'));
  });

  it('fails as unavailable when the connection is lost meanwhile', async () => {
    const rows = async function* () {
      yield 'a\n';
      await proxy.shut();
      yield 'b\n';
    };

    await expect(copy(rows())).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('stream', () => {
  const stream = (failing = false) =>
    database.stream(
      async function* (transaction) {
        yield (await transaction.query(text('select from item'))).count;
        await run(server.url, `insert into item values ('a')`);
        yield (await transaction.query(text('select from item'))).count;
        if (failing) throw new Error('of the work');
      },
      { snapshot: true },
    );

  it('yields what its work yields, from one snapshot', async () => {
    const counts = await collect(stream());

    expect(counts).toEqual([0, 0]);
    expect(database.stats()).toMatchObject({ total: 1, idle: 1 });
  });

  it('returns its connection if the reader stops early or the work fails', async () => {
    for await (const count of stream()) {
      expect(count).toBe(0);
      break;
    }
    await run(server.url, 'truncate item');
    await expect(collect(stream(true))).rejects.toThrow('of the work');

    expect(database.stats()).toMatchObject({ total: 1, idle: 1 });
  });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}
