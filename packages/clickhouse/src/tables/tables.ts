import { FIRST_HIT_DIMENSIONS, HIT_STRINGS } from '@hitherto/domain/hits';
import { raw, type Sql } from '../connection/sql.ts';
import { ENGAGEMENT_COLUMNS } from './kinds.ts';

/** A table: its columns with their types, and how rows are stored. An empty string stands for none. */
interface Table {
  readonly columns: Readonly<Record<string, string>>;
  /** Of rows with equal values of these columns the last one counts. */
  readonly orderBy: readonly string[];
  /** The column that tells which row is the last one. */
  readonly version?: string;
  readonly partitionBy?: string;
  /** The expression that decides the shard of a row, in a cluster. */
  readonly shardBy: string;
}

const TIME = `DateTime64(3, 'UTC')`;
/** Strings that mostly repeat. */
const FEW = 'LowCardinality(String)';
const MONTH = 'toYYYYMM(day)';
/**
 * The number of the import that a hit is of; 0 of a hit that was collected. Only hits that were moved from PostgreSQL can have a
 * visitor with hits of others: visits have the lowest number of their visitor's hits.
 */
const IMPORT = 'UInt64 default 0 codec(ZSTD(1))';
/** All rows of a visitor's day are on one shard. */
const BY_VISITOR = 'cityHash64(website, visitor)';

/** Strings of hits with many different values. */
const MANY_VALUES = new Set(['page', 'referrer', 'utm_content', 'utm_term']);

const DIMENSION_COLUMNS = Object.fromEntries(FIRST_HIT_DIMENSIONS.map((name) => [name, FEW]));

/** The columns of a visit, each a column of arrays in `visitor_day`. */
export const VISIT_COLUMNS: Readonly<Record<string, string>> = {
  started: TIME,
  duration: 'UInt32',
  pageviews: 'UInt32',
  events: 'UInt32',
  entry_page: FEW,
  exit_page: FEW,
  ...DIMENSION_COLUMNS,
  // Its measured pageviews, and how they were looked at.
  measured: 'UInt32',
  seconds: 'UInt32',
  scroll: 'UInt32',
  // Of its hits in order: milliseconds since the first, the pages of pageviews, the names and properties of events.
  times: 'Array(UInt32)',
  pages: `Array(${FEW})`,
  names: `Array(${FEW})`,
  props: 'Array(Map(String, String))',
  // Of each hit the code of its measure, or 0 (`measureCode` in the domain); rows of an earlier version have none.
  measures: 'Array(UInt32)',
};

/** The column of `visitor_day` with this column of visits. Columns with one prefix and a dot share the lengths of their arrays. */
export function visitColumn(name: string): string {
  return `visit.${name}`;
}

/** The batch of all hits that were moved here. Batches of the journal and of imports begin at 1. */
export const MOVED = 0n;

/** The number of a pageview; of a measure, also what it says. */
const MEASURES = {
  view: 'UInt32 default 0 codec(ZSTD(1))',
  seconds: 'UInt16 default 0 codec(ZSTD(1))',
  scroll: 'UInt8 default 0 codec(ZSTD(1))',
  is_measure: 'UInt8 default 0 codec(ZSTD(1))',
} as const;

const ENGAGEMENT = Object.values(ENGAGEMENT_COLUMNS);
const SUMMED_ENGAGEMENT = Object.fromEntries(
  ENGAGEMENT.map((name) => [
    name,
    'Array(UInt32) default arrayWithConstant(length(visitors), toUInt32(0)) codec(ZSTD(1))',
  ]),
);
const IMPORTED_ENGAGEMENT = Object.fromEntries(ENGAGEMENT.map((name) => [name, 'UInt32 default 0 codec(ZSTD(1))']));

export const TABLES = {
  /** Raw hits, and measures of pageviews, which are no hits. A hit that is handed over again replaces itself. */
  hit: {
    columns: {
      website: 'UInt64',
      day: 'Date',
      visitor: 'UInt64',
      time: `${TIME} codec(Delta(8), ZSTD(1))`,
      batch: 'UInt64 codec(Delta(8), ZSTD(1))',
      place: 'UInt32 codec(ZSTD(1))',
      import: IMPORT,
      ...Object.fromEntries(
        Object.keys(HIT_STRINGS).map((name) => [name, MANY_VALUES.has(name) ? 'String codec(ZSTD(1))' : FEW]),
      ),
      props: 'Map(String, String) codec(ZSTD(1))',
      ...MEASURES,
    },
    orderBy: ['website', 'day', 'visitor', 'time', 'batch', 'place'],
    partitionBy: MONTH,
    shardBy: BY_VISITOR,
  },
  /**
   * The visits of a visitor on a day in one row, which is replaced as a whole: no late hit and no delayed insert can leave a
   * visit behind that is not one any more.
   */
  visitor_day: {
    columns: {
      website: 'UInt64',
      day: 'Date',
      visitor: 'UInt64',
      version: 'UInt64 codec(Delta(8), ZSTD(1))',
      hits: 'UInt32 codec(ZSTD(1))',
      import: IMPORT,
      ...Object.fromEntries(
        Object.entries(VISIT_COLUMNS).map(([name, type]) => [
          `\`${visitColumn(name)}\``,
          // A page reads these columns of all its visits: LZ4 decompresses several times as fast as ZSTD, for a little more disk.
          // Properties are long, and few reads need them.
          `Array(${type}) codec(${name === 'props' ? 'ZSTD(1)' : 'LZ4'})`,
        ]),
      ),
    },
    orderBy: ['website', 'day', 'visitor'],
    version: 'version',
    partitionBy: MONTH,
    shardBy: BY_VISITOR,
  },
  /**
   * The numbers of a day by the values of one kind. `hits` tells whether the day has had hits since, `cleaning` without whose visits
   * the numbers are (`cleaningOf`).
   */
  summary: {
    columns: {
      website: 'UInt64',
      day: 'Date',
      kind: FEW,
      version: 'UInt64',
      hits: 'UInt64',
      cleaning: `${FEW} default ''`,
      value: 'Array(String) codec(ZSTD(1))',
      visitors: 'Array(UInt32) codec(ZSTD(1))',
      visits: 'Array(UInt32) codec(ZSTD(1))',
      pageviews: 'Array(UInt32) codec(ZSTD(1))',
      events: 'Array(UInt32) codec(ZSTD(1))',
      bounces: 'Array(UInt32) codec(ZSTD(1))',
      visits_with_pageviews: 'Array(UInt32) codec(ZSTD(1))',
      duration: 'Array(UInt64) codec(ZSTD(1))',
      ...SUMMED_ENGAGEMENT,
    },
    orderBy: ['website', 'kind', 'day'],
    version: 'version',
    partitionBy: MONTH,
    shardBy: 'cityHash64(website)',
  },
  /**
   * Sums of days that imports have brought, and sums of the hits of imports on days whose hits were no longer kept by then. One that
   * is inserted again replaces itself.
   */
  imported_sum: {
    columns: {
      website: 'UInt64',
      kind: FEW,
      day: 'Date',
      import: 'UInt64 codec(ZSTD(1))',
      place: 'UInt32 codec(ZSTD(1))',
      value: 'String codec(ZSTD(1))',
      visitors: 'UInt32 codec(ZSTD(1))',
      visits: 'UInt32 codec(ZSTD(1))',
      pageviews: 'UInt32 codec(ZSTD(1))',
      events: 'UInt32 codec(ZSTD(1))',
      bounces: 'UInt32 codec(ZSTD(1))',
      visits_with_pageviews: 'UInt32 codec(ZSTD(1))',
      duration: 'UInt64 codec(ZSTD(1))',
      ...IMPORTED_ENGAGEMENT,
      gaps: 'UInt8',
    },
    orderBy: ['website', 'kind', 'day', 'import', 'place'],
    partitionBy: MONTH,
    shardBy: 'cityHash64(website)',
  },
  /** The journal whose hits these are; one row. */
  owner: { columns: { journal: 'UUID' }, orderBy: ['journal'], shardBy: 'rand()' },
  /** Hits and visits of days before `kept_from` are deleted or about to be. The highest one counts. */
  retention: {
    columns: { kept_from: 'Date', since: `DateTime('UTC')` },
    orderBy: ['kept_from'],
    shardBy: 'rand()',
  },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;

/** The tables with rows of imports. */
export const OF_IMPORTS = ['hit', 'visitor_day', 'imported_sum'] as const satisfies readonly TableName[];

/** The statements that create missing tables. On a cluster, each table is replicated and distributed over its shards. */
export function createTables(cluster: string | undefined): Sql[] {
  return Object.entries<Table>(TABLES).flatMap(([name, table]) => {
    if (cluster === undefined) return [raw(`create table if not exists ${name} ${storage(table, '')}`)];
    const on = `on cluster ${cluster}`;
    const path = `'/clickhouse/tables/{uuid}/{shard}', '{replica}'`;
    return [
      raw(`create table if not exists ${name}_local ${on} ${storage(table, 'Replicated', path)}`),
      raw(
        `create table if not exists ${name} ${on} as ${name}_local engine = Distributed(${cluster}, currentDatabase(), ${name}_local, ${table.shardBy})`,
      ),
    ];
  });
}

/** The columns that tables of an earlier version may lack. */
const ADDED: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  summary: ['cleaning', ...ENGAGEMENT],
  hit: [...Object.keys(MEASURES), 'network'],
  visitor_day: ['measured', 'seconds', 'scroll', 'measures', 'network'].map((name) => `\`${visitColumn(name)}\``),
  imported_sum: ENGAGEMENT,
};

/** The statements that add these columns. */
export function addColumns(cluster: string | undefined): Sql[] {
  return Object.entries(ADDED).flatMap(([table, names]) => {
    const columns: Readonly<Record<string, string>> = TABLES[table as TableName].columns;
    const added = names.map((name) => `add column if not exists ${name} ${columns[name]}`).join(', ');
    if (cluster === undefined) return [raw(`alter table ${table} ${added}`)];
    return [`${table}_local`, table].map((name) => raw(`alter table ${name} on cluster ${cluster} ${added}`));
  });
}

/** The table that has the rows themselves, for statements that change them. */
export function storedTable(name: TableName, cluster: string | undefined): Sql {
  return raw(cluster === undefined ? name : `${name}_local on cluster ${cluster}`);
}

/** Committed rows are on the disk, also after a merge. */
const DURABLE = [
  'fsync_after_insert = 1',
  'fsync_part_directory = 1',
  'min_rows_to_fsync_after_merge = 1',
  'min_compressed_bytes_to_fsync_after_merge = 1',
];

function storage({ columns, orderBy, version, partitionBy }: Table, prefix: string, path?: string): string {
  const list = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  const replaced = [path, version].filter((part) => part !== undefined).join(', ');
  return `(${list.join(', ')}) engine = ${prefix}ReplacingMergeTree(${replaced})
    ${partitionBy === undefined ? '' : `partition by ${partitionBy}`} order by (${orderBy.join(', ')})
    settings ${DURABLE.join(', ')}`;
}
