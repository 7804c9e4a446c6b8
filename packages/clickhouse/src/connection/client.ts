import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type ClickHouseSettings, createClient } from '@clickhouse/client';
import { portError } from './errors.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/**
 * A ClickHouse server. Every method rejects with a `DomainError` of code `unavailable` while it is away or overloaded, and
 * with the driver's error otherwise.
 */
export interface ClickHouse {
  /** The rows of a query; 64-bit integers are strings. */
  read<Row>(query: Sql): Promise<Row[]>;

  /** Runs a statement that may take as long as background work does. */
  write(statement: Sql, settings?: ClickHouseSettings): Promise<void>;

  /** Inserts rows, each an object in JSON; columns that it lacks have their defaults. */
  insert(table: string, rows: readonly string[], settings?: ClickHouseSettings): Promise<void>;

  /** Rejects if the server does not respond within a second. */
  ping(): Promise<void>;

  /** The status of the response to a query. */
  status(): Promise<number | undefined>;

  close(): Promise<void>;
}

/** Timeouts in milliseconds: of a read, and of hand-overs and background work. */
const TIMEOUTS = { read: 8_000, write: 120_000, ping: 1_000 } as const;

/**
 * For inserts that are small and frequent: looking for rows that replace others takes as long as the rest of an insert, and merges
 * follow soon. A part that stays alone is read faster if its insert has looked.
 */
export const FREQUENT: ClickHouseSettings = { optimize_on_insert: 0 };

/** The most bytes of memory that a read uses, for large installations; on a smaller machine the server's own limit is lower. */
const MAX_READ_MEMORY = 10_000_000_000;

/** How many reads run at once; others wait. */
const MAX_READS = 8;

/** Settings that numbers depend on, whatever the server's defaults are. */
const SETTINGS: ClickHouseSettings = {
  // An insert is stored when it returns, and never left out as a repeat: hits have an identity.
  async_insert: 0,
  insert_deduplicate: 0,
  insert_distributed_sync: 1,
  // JavaScript would round them.
  output_format_json_quote_64bit_integers: 1,
  date_time_input_format: 'best_effort',
  // A newer version can have journalled a dimension that this one does not know.
  input_format_skip_unknown_fields: 1,
  // A sum may be named like the column that it adds up.
  prefer_column_name_to_alias: 1,
  // All rows of a visitor's day are in one partition, and on one shard.
  do_not_merge_across_partitions_select_final: 1,
  distributed_product_mode: 'local',
  // Statements that depend on each other go to one replica of a shard while it is there: others have rows later.
  load_balancing: 'in_order',
  prefer_localhost_replica: 1,
  parallel_distributed_insert_select: '2',
  // The rows of one insert become visible together.
  max_insert_threads: '1',
  min_insert_block_size_rows: '10000000',
  min_insert_block_size_bytes: '1000000000',
  // A statement has its values in it.
  max_query_size: '67108864',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '5000000',
  lightweight_deletes_sync: '2',
  mutations_sync: '2',
  alter_sync: '2',
  wait_end_of_query: 1,
};

/** Overrides settings above on servers of later versions; earlier ones reject a setting that they do not know. */
const LATER_SETTINGS: ClickHouseSettings = { deduplicate_insert: 'disable', deduplicate_insert_select: 'disable' };
const UNKNOWN = 'unknown';

/** The server, whose statements are also sent the settings of later versions that it knows. */
export async function withLaterSettings(server: ClickHouse): Promise<ClickHouse> {
  const names = Object.keys(LATER_SETTINGS);
  const values = names.map((name) => sql`toString(getSettingOrDefault(${name}, ${UNKNOWN})) as ${raw(name)}`);
  const [found = {}] = await server.read<Record<string, string>>(sql`select ${join(values)}`);
  const isKnown = (name: string) => (found[name] ?? UNKNOWN) !== UNKNOWN;
  const later = Object.fromEntries(Object.entries(LATER_SETTINGS).filter(([name]) => isKnown(name)));
  return {
    ...server,
    write: (statement, settings) => server.write(statement, { ...later, ...settings }),
    insert: (table, rows, settings) => server.insert(table, rows, { ...later, ...settings }),
  };
}

/** The server of a URL, which may contain a user, a password and a database. It connects on the first call. */
export function openClient(url: string): ClickHouse {
  const connect = (timeout: number, connections: number, settings: ClickHouseSettings = {}) =>
    createClient({
      url,
      request_timeout: timeout + 1_000,
      max_open_connections: connections,
      compression: { request: false, response: true },
      application: 'hitherto',
      clickhouse_settings: { ...SETTINGS, max_execution_time: timeout / 1_000, ...settings },
      log: { LoggerClass: Silent },
    });
  const reader = connect(TIMEOUTS.read, MAX_READS, { max_memory_usage: String(MAX_READ_MEMORY) });
  const writer = connect(TIMEOUTS.write, 4);
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw portError(error);
    }
  };

  return {
    read: <Row>({ text }: Sql) =>
      attempt(async () => {
        const result = await reader.query({ query: text, format: 'JSONEachRow' });
        return result.json<Row>();
      }),
    write: ({ text }, settings = {}) =>
      attempt(async () => {
        await writer.command({ query: text, clickhouse_settings: settings });
      }),
    insert: (table, rows, settings = {}) =>
      attempt(async () => {
        if (rows.length === 0) return;
        const { stream } = await writer.exec({
          query: `insert into ${table} format JSONEachRow`,
          values: Readable.from([rows.join('\n')], { objectMode: false }),
          clickhouse_settings: settings,
        });
        await finished(stream.resume());
      }),
    ping: () =>
      attempt(async () => {
        await reader.query({ query: 'select 1', abort_signal: AbortSignal.timeout(TIMEOUTS.ping) });
      }),
    status: () =>
      attempt(async () => {
        const { stream, http_status_code } = await reader.exec({
          query: 'select 1',
          ignore_error_response: true,
          abort_signal: AbortSignal.timeout(TIMEOUTS.ping),
        });
        await finished(stream.resume());
        return http_status_code;
      }),
    async close() {
      await Promise.all([reader.close(), writer.close()]);
    },
  };
}

/** The driver would log statements, which hold values, and addresses. */
class Silent {
  trace() {}
  debug() {}
  info() {}
  warn() {}
  error() {}
}
