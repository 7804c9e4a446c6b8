import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { openPostgres, type PostgresRepositories } from '@hitherto/postgres';
import { rowsOf, urlOf } from '@hitherto/testing/databases';
import { newFolder } from '@hitherto/testing/folder';
import { parentOf } from '@hitherto/testing/proc';
import pg from 'pg';

/** A server with a migrated database. */
export interface BenchDatabase {
  readonly url: string;
  /** Its description in the report. */
  readonly description: string;
  /** The id of the server's first process; 0 where there is no /proc, and then no CPU time. */
  readonly pid: number;
  close(): Promise<void>;
}

/** PostgreSQL's defaults; only the embedded one turns the workers off and allows fewer connections. */
const DEFAULTS = { max_parallel_workers_per_gather: '2', max_connections: '100' };

/** A throwaway server with PostgreSQL's default durability; or the server of DATABASE_URL, unchanged. */
export async function startDatabase(): Promise<BenchDatabase> {
  const given = process.env.DATABASE_URL;
  if (given) return describe(given, 'DATABASE_URL', async () => {});
  const { path, close } = newFolder();
  const { connection, stop } = await startEmbeddedPostgres({ dataDir: path, log: () => {}, settings: DEFAULTS });
  const origin = 'the binaries that come with Hitherto, on a Unix socket';
  return describe(urlOf(connection), origin, () => stop().then(close));
}

/** Creates a migrated database on the server of `url`, with partitions for this month; returns its url. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await rowsOf(url, `drop database if exists ${name}`);
  await rowsOf(url, `create database ${name}`);
  const created = new URL(url);
  created.pathname = `/${name}`;
  await migrate(created.href);
  return created.href;
}

/** A data folder with an embedded database that no service has used yet; `filled` is the result of `fill`. */
export async function prepareDataFolder<T>(fill: (url: string) => Promise<T>) {
  const folder = newFolder();
  const server = await startEmbeddedPostgres({ dataDir: folder.path, log: () => {} });
  const url = urlOf(server.connection);
  try {
    await migrate(url);
    return { ...folder, filled: await fill(url) };
  } finally {
    await server.stop();
  }
}

/** Runs statements one after the other on a separate connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Opens the adapters on a database for some work. */
export async function withRepositories<T>(
  url: string,
  work: (repositories: PostgresRepositories) => Promise<T>,
): Promise<T> {
  const repositories = openPostgres({ connection: url, log: () => {} });
  try {
    return await work(repositories);
  } finally {
    await repositories.close();
  }
}

/** A single number from a database: the column `value` of the first row. */
export async function numberIn(url: string, query: string, values: unknown[] = []): Promise<number> {
  const [row] = await rowsOf<{ value: string | number }>(url, query, values);
  return Number(row?.value ?? Number.NaN);
}

/** Does the work of autovacuum in a database's first hour: collects statistics and marks rows as visible to all. */
export async function vacuum(url: string): Promise<void> {
  await rowsOf(url, 'checkpoint');
  await rowsOf(url, 'vacuum (analyze)');
}

/** The size of a database. */
export function databaseBytes(url: string): Promise<number> {
  return numberIn(url, 'select pg_database_size(current_database()) as value');
}

/** Migrates a database, and describes it. */
async function describe(url: string, origin: string, close: () => Promise<void>): Promise<BenchDatabase> {
  await migrate(url);
  return withClient(url, async (client) => {
    const text = `select pg_backend_pid() as pid, string_agg(name || ' ' || current_setting(name), ', ') as settings
      from unnest($1::text[]) name`;
    const { rows } = await client.query<{ pid: number; settings: string }>(text, [SETTINGS]);
    const [{ pid, settings } = { pid: 0, settings: '' }] = rows;
    return { url, description: `PostgreSQL (${origin}): ${settings}`, pid: parentOf(pid) ?? 0, close };
  });
}

const SETTINGS = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'max_parallel_workers_per_gather',
];

/** Migrates a database, and prepares it for hits as a service does when it starts. */
function migrate(url: string): Promise<void> {
  return withRepositories(url, async (repositories) => {
    await repositories.migrate();
    await repositories.maintenance.settle(new Date());
  });
}
