import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAccount, issueKey } from '@hitherto/domain/access';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { newId, now } from '@hitherto/outside/system';
import { openPostgres, type PostgresOptions, type PostgresRepositories } from '@hitherto/postgres';
import { newDataFolder } from '@hitherto/testing/data-folder';
import { rowsOf, urlOf } from '@hitherto/testing/databases';
import { postmasterOf } from '@hitherto/testing/proc';
import { withScope } from '@hitherto/testing/scope';
import type pg from 'pg';
import { startDatabaseProxy } from './database-proxy.ts';
import { canary, lookForSecretsIn } from './secrets.ts';

export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

export interface OwnPostgresOptions {
  /** The data folder; by default a new temporary folder. */
  readonly dataDir?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts an external PostgreSQL, which Hitherto knows only by DATABASE_URL, with PostgreSQL's default durability. */
export async function startOwnPostgres({ dataDir: given, settings = {} }: OwnPostgresOptions = {}) {
  const dataDir = given ?? (await newDataFolder());
  const launch = () =>
    startEmbeddedPostgres({ dataDir, log: () => {}, settings: { max_connections: '120', ...settings } });
  let server: EmbeddedPostgres | undefined = await launch();
  let { connection } = server;
  const { user, database } = connection;
  const proxy = await startDatabaseProxy({ upstream: () => connection, user, database, password: canary() });
  const stop = async () => {
    await server?.stop();
    server = undefined;
  };
  return {
    dataDir,
    /** Goes through the proxy, and never changes. */
    url: proxy.url,
    proxy,
    /** The server's first process. If killed, it is restarted at once, as by a supervisor. */
    pid: () => postmasterOf(dataDir),
    /** Stops and starts the server; while stopped, connections are refused. */
    stop,
    async start() {
      server ??= await launch();
      connection = server.connection;
    },
    /** Runs a statement, bypassing the proxy. */
    query: <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      rowsOf<Row>(urlOf(connection), text, values),
    /** Creates an account with a key of scope `write` in a migrated database; returns the key. */
    issueKey: (account = `account ${randomUUID()}`) =>
      withPorts(connection, async ({ access, websites }) => {
        const issuing = { access, websites, now, newId, randomBytes, author: COMMAND_LINE };
        await createAccount(issuing, account);
        return (await issueKey(issuing, account)).text;
      }),
    /** Creates an empty database with that name; returns its url through the proxy. */
    async createDatabase(name: string): Promise<string> {
      await rowsOf(urlOf(connection), `create database "${name}" template template0`);
      const url = new URL(proxy.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    /** Stops everything and removes the data. */
    async close() {
      await proxy.close();
      await stop();
      lookForSecretsIn(join(dataDir, 'postgres.log'));
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Opens a database in this process for some work, which is faster than starting the program. */
export function withPorts<T>(
  connection: PostgresOptions['connection'],
  work: (ports: PostgresRepositories) => Promise<T>,
): Promise<T> {
  return withScope(async (open) => work(await open(openPostgres({ connection, log: () => {} }))));
}

/** The version of the servers that the suite starts. */
export async function postgresVersion(): Promise<string> {
  const server = await startOwnPostgres();
  try {
    const [row] = await server.query<{ server_version: string }>('show server_version');
    return row?.server_version ?? 'unknown';
  } finally {
    await server.close();
  }
}
