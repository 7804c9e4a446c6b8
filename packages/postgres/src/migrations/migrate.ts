import { Kysely, Migrator, PostgresDialect } from 'kysely';
import pg from 'pg';
import { classify, isLockTimeout, portError } from '../connection/errors.ts';
import type { Presence } from '../connection/presence.ts';
import { rejectTransactionPooling, startSession } from '../connection/session.ts';
import { type Connection, clientConfig } from '../connection/settings.ts';
import type { Query } from '../connection/statement.ts';
import { DATABASE_TIMEOUTS } from '../connection/timeouts.ts';
import { isBeforeRelease } from './before-release.ts';
import { migrations } from './index.ts';

/** How far the database's schema is from the one that this program knows. */
export interface SchemaState {
  /** Migrations that have not run yet. */
  readonly pending: readonly string[];
  /** Migrations of a later version that have run. */
  readonly unknown: readonly string[];
}

const TABLE = 'schema_migration';
/** Where the migrator records the migrations that have run. */
export const MIGRATION_TABLES = { migrationTableName: TABLE, migrationLockTableName: 'schema_migration_lock' };
/** The advisory lock that migrations run under: any number that nobody else takes in the same database. */
export const MIGRATION_LOCK_ID = 4_847_113;
const EXTENSIONS = ['pg_trgm', 'btree_gin'];
/** The end of the name of a migration that programs without it cannot work with. */
const EXCLUSIVE = '-exclusive';

/**
 * Runs the pending migrations, all in one transaction, and returns their names. If several instances start at the same time,
 * one runs them and the rest wait, at most a minute. A schema of a later version is left as it is: what
 * one version changes, the version before can work with, unless the name of a migration says otherwise.
 */
export async function migrate(connection: Connection, presence: Presence): Promise<readonly string[]> {
  return withSession(connection, presence, async (pool) => {
    const state = await readState(pool);
    rejectSchemaBeforeRelease(state);
    const exclusive = state.unknown.filter((name) => name.endsWith(EXCLUSIVE));
    if (exclusive.length > 0) {
      throw new Error(
        `A later version of Hitherto has changed the database in a way that this version cannot work with (${exclusive.join(', ')}); start that version.`,
      );
    }
    if (state.pending.length === 0) return [];
    await lock(pool);
    const { pending, unknown } = await readState(pool);
    if (pending.length === 0) return [];
    if (unknown.length > 0) {
      throw new Error(
        `The database has migrations of a later version (${unknown.join(', ')}) without this version's. Start the later version.`,
      );
    }
    await requireEncoding(pool);
    await requireRights(pool);
    return run(pool);
  });
}

/** Compares the database's schema with the one that this program knows. */
export function schemaState(connection: Connection, presence: Presence): Promise<SchemaState> {
  return withSession(connection, presence, readState);
}

/**
 * Work on one connection, which the lock and the migrations share. Statements have no timeout of PostgreSQL's; queries
 * next to the migrations have the driver's, see `ask`.
 */
async function withSession<T>(
  connection: Connection,
  presence: Presence,
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const config = clientConfig(connection, 'migrate');
  const pool = new pg.Pool({ ...config, max: 1, onConnect: (client) => startSession(client, 'migrate') });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await requireSessions(pool, config);
    presence.seen();
    return await work(pool);
  } catch (error) {
    if (classify(error).reason === 'unavailable') presence.lost(error);
    throw portError(error);
  } finally {
    await pool.end();
  }
}
async function requireSessions(pool: pg.Pool, config: pg.ClientConfig): Promise<void> {
  const client = await pool.connect();
  const other = new pg.Client(config);
  other.on('error', () => {});
  try {
    await rejectTransactionPooling(client, async () => {
      await other.connect();
      return other;
    });
  } finally {
    client.release();
    await other.end();
  }
}

/** Runs a statement on the session. Fails as `unavailable` if no reply comes in this time: the server may be gone. */
async function ask<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  text: string,
  values: unknown[] = [],
  wait: number = DATABASE_TIMEOUTS.response,
): Promise<Row[]> {
  const query: Query = { text, values, query_timeout: wait };
  return (await pool.query<Row>(query)).rows;
}

async function readState(pool: pg.Pool): Promise<SchemaState> {
  const [table] = await ask<{ found: boolean }>(pool, 'select to_regclass($1) is not null as found', [TABLE]);
  const done = table?.found ? await ask<{ name: string }>(pool, `select name from ${TABLE}`) : [];
  const executed = new Set(done.map(({ name }) => name));
  const known = Object.keys(migrations);
  return {
    pending: known.filter((name) => !executed.has(name)),
    unknown: [...executed].filter((name) => !known.includes(name)),
  };
}

/** One migration has replaced those of unreleased versions, and their backups are restored into its schema. */
function rejectSchemaBeforeRelease({ unknown }: SchemaState): void {
  if (!isBeforeRelease(unknown)) return;
  throw new Error(
    'An unreleased version of Hitherto made this database. Back it up with that version ("hitherto backup FILE"), then restore the file with this one into an empty database ("hitherto restore FILE").',
  );
}

/** The lock is the session's and ends with it. */
async function lock(pool: pg.Pool): Promise<void> {
  try {
    await ask(pool, `set lock_timeout = ${DATABASE_TIMEOUTS.migrationWait}`);
    // Longer than the turn, so that PostgreSQL's own word comes first.
    const wait = DATABASE_TIMEOUTS.migrationWait + DATABASE_TIMEOUTS.response;
    await ask(pool, 'select pg_advisory_lock($1)', [MIGRATION_LOCK_ID], wait);
    await ask(pool, `set lock_timeout = ${DATABASE_TIMEOUTS.migrationLock}`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new Error(
      'Another instance has been migrating the database for more than a minute. Check it, or try again later.',
      {
        cause: error,
      },
    );
  }
}

/** Rejects a database that does not check the encoding of strings, or cannot store some. */
async function requireEncoding(pool: pg.Pool): Promise<void> {
  const [database] = await ask<{ encoding: string }>(pool, `select current_setting('server_encoding') as encoding`);
  if (database?.encoding === 'UTF8') return;
  throw new Error(
    `The database has the encoding ${database?.encoding}, which cannot store every text. Create it with ENCODING 'UTF8' TEMPLATE template0.`,
  );
}

/** Names missing privileges before anything is tried, and how to grant them. */
async function requireRights(pool: pg.Pool): Promise<void> {
  const extensions = await ask<{ name: string; installed: boolean }>(
    pool,
    'select name, installed_version is not null as installed from pg_available_extensions where name = any($1)',
    [EXTENSIONS],
  );
  for (const name of EXTENSIONS) {
    if (extensions.some((extension) => extension.name === name)) continue;
    throw new Error(
      `PostgreSQL's extension ${name} is not on the database's server; install the server's "contrib" package.`,
    );
  }

  const [right] = await ask<{ role: string; database: string; extend: boolean; create: boolean }>(
    pool,
    `
    select current_user as role, current_database() as database,
      has_database_privilege(current_database(), 'CREATE') as extend,
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as create`,
  );
  if (right === undefined) throw new Error('The database did not report the privileges of its user.');
  const [database, role] = [right.database, right.role].map((name) => pg.escapeIdentifier(name));
  const absent = EXTENSIONS.filter((name) => extensions.some((known) => known.name === name && !known.installed));
  if (absent.length > 0 && !right.extend) {
    const create = absent.map((name) => `CREATE EXTENSION ${name};`).join(' ');
    throw new Error(
      `The database lacks the extensions ${absent.join(' and ')}. As a superuser run in it: ${create} Or let the service create them: GRANT CREATE ON DATABASE ${database} TO ${role};`,
    );
  }
  if (!right.create) {
    throw new Error(
      `The service may not create its tables. As the database's owner run in it: GRANT CREATE, USAGE ON SCHEMA public TO ${role};`,
    );
  }
}

async function run(pool: pg.Pool): Promise<readonly string[]> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    ...MIGRATION_TABLES,
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return results.map(({ migrationName }) => migrationName);
}
