import { basename } from 'node:path';
import {
  fitName,
  GAPS,
  InvalidFile,
  NO_TOTALS,
  type SumContent,
  type SumKind,
  type SumRow,
  storedText,
  type Totals,
} from '@hitherto/domain/files';
import type { FileContent, FileContents } from './contents.ts';
import { type CsvRow, csvRows, headerOf } from './csv.ts';
import { browserNamed, countryNamed, deviceNamed, systemNamed } from './names.ts';
import { type Fields, map } from './rows.ts';
import { cutValueOf, pageOfPath, readNumbers, type SumNumbers, sumContent } from './sums.ts';

// The ZIP of Plausible's export: tables of sums by day, in CSV. Durations are sums in seconds.

/** A table of the export. */
interface Table {
  /** The columns of numbers, by our names. */
  readonly numbers: Readonly<Partial<Record<keyof SumNumbers, string>>>;
  /** Where values of kinds come from. */
  readonly values: Readonly<Partial<Record<SumKind, (row: Fields) => string | null>>>;
  /** The columns that values come from. */
  readonly columns: readonly string[];
}

const OF_VISITS = {
  visitors: 'visitors',
  visits: 'visits',
  pageviews: 'pageviews',
  bounces: 'bounces',
  seconds: 'visit_duration',
} as const;

const path =
  (name: string) =>
  (row: Fields): string | null =>
    pageOfPath(row[name]);
const column =
  (name: string) =>
  (row: Fields): string | null =>
    cutValueOf(row[name]);

/** By their names in the ZIP. The numbers of whole days come first. */
const TABLES: Readonly<Record<string, Table>> = {
  visitors: { numbers: OF_VISITS, values: { total: () => null }, columns: [] },
  sources: {
    numbers: OF_VISITS,
    values: {
      source: ({ source }) => (source === 'Direct / None' ? null : cutValueOf(source)),
      referrer: column('referrer'),
      utm_source: column('utm_source'),
      utm_medium: column('utm_medium'),
      utm_campaign: column('utm_campaign'),
      utm_content: column('utm_content'),
      utm_term: column('utm_term'),
    },
    columns: ['source', 'referrer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'],
  },
  pages: {
    numbers: { visitors: 'visitors', visits: 'visits', pageviews: 'pageviews' },
    values: { page: path('page') },
    columns: ['page'],
  },
  entry_pages: {
    numbers: { ...OF_VISITS, visits: 'entrances' },
    values: { entry_page: path('entry_page') },
    columns: ['entry_page'],
  },
  exit_pages: {
    numbers: { ...OF_VISITS, visits: 'exits' },
    values: { exit_page: path('exit_page') },
    columns: ['exit_page'],
  },
  locations: { numbers: OF_VISITS, values: { country: ({ country }) => countryNamed(country) }, columns: ['country'] },
  devices: { numbers: OF_VISITS, values: { device: ({ device }) => deviceNamed(device) }, columns: ['device'] },
  browsers: {
    numbers: OF_VISITS,
    values: { browser: ({ browser }) => browserNamed(browser) ?? cutValueOf(browser) },
    columns: ['browser'],
  },
  operating_systems: {
    numbers: OF_VISITS,
    values: { os: ({ operating_system: system }) => systemNamed(system) ?? cutValueOf(system) },
    columns: ['operating_system'],
  },
  custom_events: {
    numbers: { visitors: 'visitors', events: 'events' },
    values: { event: eventNamed },
    columns: ['name'],
  },
};

/** Events that Plausible names itself, as Hitherto's tracker names them. */
const EVENTS: ReadonlyMap<string, string> = new Map([
  ['Outbound Link: Click', 'Outbound link'],
  ['File Download', 'Download'],
]);

/** Measurements of scrolling and reading; they are not events of the website. */
const MEASUREMENTS = new Set(['engagement', 'pageleave']);

const ENTRY = /^imported_([a-z_]+?)(?:_\d{8}_\d{8})?\.csv$/;

/** The table that an entry of the ZIP has by its name. */
function tableOf({ name }: Pick<FileContent, 'name'>): string | undefined {
  return ENTRY.exec(basename(name))?.[1];
}

/** Whether these are the files of an export. */
export function isPlausible(files: readonly FileContent[]): boolean {
  return files.some((file) => tableOf(file) === 'visitors');
}

/** @param contents of the ZIP */
export async function openPlausible(contents: FileContents): Promise<SumContent> {
  const files = contents.files.flatMap((file) => {
    const name = tableOf(file);
    return name === undefined ? [] : [{ name, file, table: Object.hasOwn(TABLES, name) ? TABLES[name] : undefined }];
  });
  const order = Object.keys(TABLES);
  files.sort((a, b) => place(order, a.name) - place(order, b.name));
  for (const { file, table } of files) if (table !== undefined) await requireColumns(file, table);
  const kinds = files.flatMap(({ table }) => Object.keys(table?.values ?? {}) as SumKind[]);
  const read = files.map(({ name, file, table }) => ({ file, rows: () => sumRows(name, table, file) }));
  return sumContent('plausible', kinds, read, contents);
}

/** Tables that are not known come last. */
function place(order: readonly string[], name: string): number {
  const found = order.indexOf(name);
  return found === -1 ? order.length : found;
}

async function* sumRows(name: string, table: Table | undefined, file: FileContent): AsyncGenerator<Iterable<SumRow>> {
  const entry = basename(file.name);
  const toRow = (row: CsvRow) => sumRow(name, table, entry, row);
  for await (const rows of csvRows(await file.bytes(), entry)) yield map(rows, toRow);
}

async function requireColumns(file: FileContent, { numbers, columns }: Table): Promise<void> {
  const [first = ''] = (await file.start()).split(/\r?\n/, 1);
  const header = headerOf(first);
  const missing = ['date', ...columns, ...Object.values(numbers)].find((name) => !header.includes(name));
  if (missing !== undefined) {
    throw new InvalidFile(storedText('noColumn', basename(file.name), missing));
  }
}

function sumRow(name: string, table: Table | undefined, entry: string, { line, fields }: CsvRow): SumRow {
  const row: Fields = fields;
  const common = { file: entry, line, table: name, day: row.date ?? '', sums: [] };
  if (table === undefined) {
    return { ...common, skipped: { reason: 'not_counted', text: storedText('noTable', `imported_${name}`) } };
  }
  if (name === 'custom_events' && MEASUREMENTS.has(row.name ?? '')) {
    return { ...common, skipped: { reason: 'not_counted', text: storedText('measurement', row.name ?? '') } };
  }
  const numbers = readNumbers(row, table.numbers);
  if ('name' in numbers) return { ...common, skipped: { reason: 'faulty', text: numbers } };
  if (name === 'custom_events') return { ...common, sums: sumsOfEvent(eventNamed(row), numbers) };
  const totals = totalsOf(numbers);
  const values = Object.entries(table.values) as [SumKind, (row: Fields) => string | null][];
  return { ...common, sums: values.map(([kind, read]) => ({ kind, value: read(row), numbers: totals })) };
}

/** The file does not have the number of visits of an event. Its events also count for the whole day. */
function sumsOfEvent(value: string | null, { visitors, events }: SumNumbers): SumRow['sums'] {
  const ofDay = { ...NO_TOTALS, events };
  return [
    { kind: 'event', value, numbers: { ...ofDay, visitors, gaps: GAPS.visits } },
    { kind: 'total', value: null, numbers: ofDay },
  ];
}

/** Every visit of Plausible counts in its rates, so each is one with a pageview. */
function totalsOf({ visitors, visits, pageviews, events, bounces, seconds }: SumNumbers): Totals {
  return { visitors, visits, pageviews, events, bounces, visitsWithPageviews: visits, duration: seconds * 1_000 };
}

function eventNamed({ name = '' }: Fields): string | null {
  return name === '' ? null : (EVENTS.get(name) ?? fitName(name));
}
