import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgres } from '@hitherto/adapters/postgres';
import { startEmbeddedPostgres } from '@hitherto/embedded-postgres';
import { parentOf } from '@hitherto/testing/proc';
import pg from 'pg';

/** A server with a migrated database. */
export interface BenchDatabase {
  readonly url: string;
  /** Its description in the report. */
  readonly description: string;
  /** The id of the server's first process, if it runs on this machine. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** PostgreSQL's defaults; only the embedded one turns the workers off and allows fewer connections. */
const DEFAULTS = { max_parallel_workers_per_gather: '2', max_connections: '100' };

/** A throwaway server with PostgreSQL's default durability; or the server of DATABASE_URL, unchanged. */
export async function startDatabase(): Promise<BenchDatabase> {
  const given = process.env.DATABASE_URL;
  if (given) return describe(given, 'DATABASE_URL', async () => {});
  const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: DEFAULTS });
  return describe(urlOf(server.connection), 'the binaries that come with Hitherto, on a Unix socket', async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
}

/** Creates a migrated database on the server of `url`, with partitions for this month; returns its url. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await withClient(url, async (client) => {
    await client.query(`drop database if exists ${name}`);
    await client.query(`create database ${name}`);
  });
  const created = new URL(url);
  created.pathname = `/${name}`;
  await migrate(created.href);
  return created.href;
}

/** A data folder with an embedded database that no service has used yet. */
export async function prepareDataFolder(fill: (url: string) => Promise<void>): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'hitherto-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const url = urlOf(server.connection);
  try {
    await migrate(url);
    await fill(url);
  } catch (error) {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
  await server.stop();
  return dataDir;
}

/** The first process of the embedded server of a data folder. */
export async function embeddedPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
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

async function describe(url: string, origin: string, stop: () => Promise<void>): Promise<BenchDatabase> {
  await migrate(url);
  return withClient(url, async (client) => {
    const setting = async (name: string) => {
      const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [name]);
      return rows[0]?.value ?? '';
    };
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const version = (await setting('server_version')).split(' ')[0];
    const durability: string[] = [];
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
      durability.push(`${name} ${await setting(name)}`);
    }
    return {
      url,
      description: `PostgreSQL ${version} (${origin}; ${durability.join(', ')}, shared_buffers ${await setting('shared_buffers')}, max_parallel_workers_per_gather ${await setting('max_parallel_workers_per_gather')})`,
      pid: rows[0] && parentOf(rows[0].pid),
      stop,
    };
  });
}

/** Migrates a database, and creates the partitions of hits that a service creates when it starts. */
async function migrate(url: string): Promise<void> {
  const repositories = openPostgres({ connection: url, log: () => {} });
  await repositories.migrate();
  await repositories.maintenance.prepare(new Date().toISOString().slice(0, 10));
  await repositories.close();
}

function urlOf({ host, port, user, database }: { host: string; port: number; user: string; database: string }): string {
  return `postgresql://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}&sslmode=disable`;
}
