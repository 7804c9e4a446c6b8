import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { rejectTransactionPooling } from '../src/connection/session.ts';

// `npm run faults` has the same with PgBouncer itself, which few machines have (row "pooler").

let connections: pg.Client[];

beforeEach(async () => {
  connections = [1, 2, 3].map(() => new pg.Client(inject('postgresUrl')));
  await Promise.all(connections.map((client) => client.connect()));
});
afterEach(() => Promise.all(connections.map((client) => client.end())));

/** The server's connection of this number. */
function server(number: number): pg.Client {
  const client = connections[number];
  if (client === undefined) throw new Error(`There is no connection ${number}.`);
  return client;
}

/** A client of a pooler that sends each query to the connection that `choose` names; its process id is made up. */
function pooled(choose: () => pg.Client): pg.Client {
  return new Proxy(server(0), {
    get(_, name) {
      const client = choose();
      const value: unknown = name === 'processID' ? 0 : Reflect.get(client, name, client);
      return typeof value === 'function' ? value.bind(client) : value;
    },
  });
}

test('a direct connection is accepted', async () => {
  await rejectTransactionPooling(server(0), async () => server(1));
});

test('a pooler in session mode is accepted', async () => {
  const session = (number: number) => pooled(() => server(number));

  await rejectTransactionPooling(session(0), async () => session(1));
});

test('a pooler in transaction mode that moves a client to another connection is rejected, with the setting to change', async () => {
  let isOpen = false;
  const moved = pooled(() => server(isOpen ? 1 : 0));
  const open = async () => {
    isOpen = true;
    return server(2);
  };

  await expect(rejectTransactionPooling(moved, open)).rejects.toThrow(/transaction mode.*pool_mode = session/s);
});

test('a pooler in transaction mode that gives two clients one connection is rejected', async () => {
  const shared = pooled(() => server(0));

  await expect(rejectTransactionPooling(shared, async () => shared)).rejects.toThrow('transaction mode');
});
