import { DomainError } from '@hitherto/domain/base';
import type { HitJournal } from '@hitherto/domain/engine';
import { type ClickHouse, withLaterSettings } from '../connection/client.ts';
import { errorCodeOf, portError } from '../connection/errors.ts';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { addColumns, createTables, OF_IMPORTS, TABLES } from './tables.ts';

/** The oldest version whose functions and settings the statements use. */
const MIN_VERSION = '25.3';

/**
 * A server whose tables exist: the first call checks it and creates them, and the first one after an outage or a loss. Methods
 * reject with `unavailable` while it cannot be used.
 */
export interface PreparedServer extends ClickHouse {
  /** Resolves once the tables exist, and hits wait again that a server without them has lost. */
  ready(): Promise<void>;

  /** The same at the start: rejects with an error for the operator if the server cannot be used. */
  prepare(): Promise<void>;
}

/** The server, prepared when it is called. If that fails, the call rejects with its error, and the next one tries again. */
export function preparedServer(
  server: ClickHouse,
  cluster: string | undefined,
  journal: Pick<HitJournal, 'id' | 'raiseNumbersAbove' | 'repeatSince'>,
): PreparedServer {
  let prepared: Promise<ClickHouse> | undefined;
  let hasRaised = false;
  const prepareServer = async () => {
    const usable = await prepare(server, cluster, journal);
    // Once in a process, because nobody restores PostgreSQL while one runs.
    if (!hasRaised) await journal.raiseNumbersAbove(await lastNumbers(usable));
    hasRaised = true;
    return usable;
  };
  const prepareOnce = () => {
    prepared ??= prepareServer().catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const whenReady = () =>
    prepareOnce().catch((error: unknown) => {
      throw error instanceof DomainError ? error : portError(error);
    });
  const use = async <Result>(work: (usable: ClickHouse) => Promise<Result>): Promise<Result> => {
    const usable = await whenReady();
    try {
      return await work(usable);
    } catch (error) {
      if (mayHaveChanged(error)) prepared = undefined;
      throw error;
    }
  };
  return {
    ...server,
    async ready() {
      await whenReady();
    },
    async prepare() {
      await prepareOnce();
    },
    read: <Row>(query: Sql) => use((usable) => usable.read<Row>(query)),
    write: (statement, settings) => use((usable) => usable.write(statement, settings)),
    insert: (table, rows, settings) => use((usable) => usable.insert(table, rows, settings)),
  };
}

/** The server's numbers of errors where a table or the database is missing. */
const LOST = new Set([60, 81]);

/** Whether the server has lost its tables, or its connection: it may come back with another version, or without them. */
function mayHaveChanged(error: unknown): boolean {
  if (!(error instanceof DomainError)) return false;
  const code = errorCodeOf(error.cause);
  return code === undefined || LOST.has(code);
}

/**
 * Checks the server and creates the tables that are missing. Rejects with `unavailable` while it is away, and with an error
 * for the operator if it cannot be used.
 */
async function prepare(
  server: ClickHouse,
  cluster: string | undefined,
  journal: Pick<HitJournal, 'id' | 'raiseNumbersAbove' | 'repeatSince'>,
): Promise<ClickHouse> {
  await checkVersion(server);
  try {
    const usable = await withLaterSettings(server);
    const names = Object.keys(TABLES);
    const found = await usable.read(sql`
      select name from system.tables where database = currentDatabase() and name in (${join(names)})`);
    const isComplete = found.length === names.length;
    // A database that was lost gets back the hits that the journal still has. They wait before there are tables, so that a
    // process that is killed here leaves this to the next one.
    if (!isComplete) await journal.repeatSince(new Date(0));
    if (!isComplete) for (const statement of createTables(cluster)) await usable.write(statement);
    const latest = await usable.read(sql`
      select name from system.columns where database = currentDatabase() and table = 'hit' and name = 'network'`);
    if (latest.length === 0) for (const statement of addColumns(cluster)) await usable.write(statement);
    await claim(usable, journal);
    return usable;
  } catch (error) {
    throw explained(error);
  }
}

/** Returns the version of the server; rejects if it is too old, or no ClickHouse. */
export async function checkVersion(server: ClickHouse): Promise<string> {
  const version = await versionOf(server);
  if (isOlder(version, MIN_VERSION)) {
    throw new Error(
      `ClickHouse ${version} is too old: CLICKHOUSE_URL must name a server of version ${MIN_VERSION} or later.`,
    );
  }
  return version;
}

/** Notes whose hits the tables have. Two installations in one database would count each other's. */
async function claim(server: ClickHouse, journal: Pick<HitJournal, 'id'>): Promise<void> {
  const id = await journal.id();
  const owners = await server.read<{ journal: string }>(sql`select journal from owner`);
  if (owners.length === 0) return server.insert('owner', [JSON.stringify({ journal: id })]);
  if (owners.every(({ journal: owner }) => owner === id)) return;
  throw new Error(
    'The database in CLICKHOUSE_URL has the statistics of another installation: name an empty one, or the one that belongs to this PostgreSQL.',
  );
}

/** The highest numbers of websites and imports that have rows. */
async function lastNumbers(server: ClickHouse): Promise<{ website: bigint; import: bigint }> {
  const ofWebsites = (['hit', 'visitor_day', 'summary', 'imported_sum'] as const).map(
    (table) => sql`select max(website) as website, 0 as import from ${raw(table)}`,
  );
  // This reads a column of every hit, but it is small: a thousand million take about a second.
  const ofImports = OF_IMPORTS.map(
    (table) => sql`select 0 as website, max(import) as import from ${raw(table)} where import > 0`,
  );
  const [row] = await server.read<{ website: string; import: string }>(sql`
    select max(website) as website, max(import) as import from (${unionAll([...ofWebsites, ...ofImports])})`);
  return { website: BigInt(row?.website ?? 0), import: BigInt(row?.import ?? 0) };
}

async function versionOf(server: ClickHouse): Promise<string> {
  let rows: { version: string }[];
  try {
    rows = await server.read<{ version: string }>(sql`select version() as version`);
  } catch (error) {
    if (error instanceof SyntaxError || (await isRejected(server, error))) throw foreign();
    throw explained(error);
  }
  const version = rows[0]?.version;
  if (version === undefined || !/^\d+\.\d+/.test(version)) throw foreign();
  return version;
}

/**
 * Whether the server responds with a redirect or a client error, but none of ClickHouse's. A server error can come from a
 * proxy whose ClickHouse is away.
 */
async function isRejected(server: ClickHouse, error: unknown): Promise<boolean> {
  const cause = error instanceof DomainError ? error.cause : error;
  if (errorCodeOf(cause) !== undefined || isOfConnection(cause)) return false;
  const status = await server.status().catch(() => undefined);
  return status !== undefined && status >= 300 && status < 500;
}

function foreign(): Error {
  return new Error('CLICKHOUSE_URL names a server that does not respond as ClickHouse does.');
}

/** The error of a server that responds, but with which only its operator can help, as a sentence. */
function explained(error: unknown): unknown {
  const cause = error instanceof DomainError ? error.cause : error;
  switch (errorCodeOf(cause)) {
    case 192:
    case 516:
      return new Error('ClickHouse does not accept the user and password in CLICKHOUSE_URL.', { cause });
    case 81:
      return new Error('ClickHouse has no database of the name in CLICKHOUSE_URL: create it, or name another.', {
        cause,
      });
    case 164:
    case 497:
      return new Error(
        'The user in CLICKHOUSE_URL lacks rights: grant it SELECT, INSERT, ALTER, CREATE TABLE, DROP TABLE and TRUNCATE on the database.',
        { cause },
      );
    default:
      return isOfConnection(cause) && cause.code.startsWith('HPE_') ? foreign() : error;
  }
}

/** Whether the driver got no response, or one that is not of HTTP (`HPE_…`). */
function isOfConnection(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const [major = 0, minor = 0] = a ?? [];
  const [otherMajor = 0, otherMinor = 0] = b ?? [];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
