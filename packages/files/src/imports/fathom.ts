import {
  fitName,
  InvalidFile,
  type StoredText,
  type SumContent,
  type SumKind,
  type SumRow,
  storedText,
  type Totals,
} from '@hitherto/domain/files';
import { type FileContent, type FileContents, namedIn, placeIn } from './contents.ts';
import { type CsvRow, csvRows, headerOf } from './csv.ts';
import { browserNamed, countryNamed, deviceNamed, systemNamed } from './names.ts';
import { type Fields, given, map } from './rows.ts';
import { cutValueOf, pageOfPath, readNumbers, referredBy, sumContent, withoutVisits } from './sums.ts';

// The CSV of Fathom's export: a file of pageviews and one of events, by hour or day, with the dimensions and numbers that were
// chosen. A visitor is one of a day. There are no visits.

/** The columns of visitors: of the website, by their names of different years, and of a page. */
const VISITORS = ['visitors', 'visits', 'uniques'] as const;
const PAGE_VISITORS = ['uniques'] as const;
const COMPLETIONS = ['completions', 'conversions'] as const;
const UNIQUE_COMPLETIONS = ['unique_completions', 'unique_conversions'] as const;

/** Columns that the file of pageviews has; all others may be missing. */
export const FATHOM_COLUMNS = ['datetime', 'pageviews'];

type Read = (row: Fields) => string | null;

/** Where values come from; a kind needs all its columns. */
const KINDS: readonly { readonly kind: SumKind; readonly columns: readonly string[]; readonly read: Read }[] = [
  { kind: 'page', columns: ['pathname'], read: ({ pathname }) => pageOfPath(pathname) },
  { kind: 'host', columns: ['hostname'], read: ({ hostname }) => cutValueOf(hostNamed(hostname)) },
  {
    kind: 'source',
    columns: ['referrer_hostname'],
    read: (row) => cutValueOf(row.utm_source) ?? referrerOf(row).source,
  },
  { kind: 'referrer', columns: ['referrer_hostname'], read: (row) => referrerOf(row).referrer },
  { kind: 'utm_source', columns: ['utm_source'], read: (row) => cutValueOf(row.utm_source) },
  { kind: 'utm_medium', columns: ['utm_medium'], read: (row) => cutValueOf(row.utm_medium) },
  { kind: 'utm_campaign', columns: ['utm_campaign'], read: (row) => cutValueOf(row.utm_campaign) },
  { kind: 'utm_content', columns: ['utm_content'], read: (row) => cutValueOf(row.utm_content) },
  { kind: 'utm_term', columns: ['utm_term'], read: (row) => cutValueOf(row.utm_term) },
  { kind: 'country', columns: ['country_code'], read: (row) => countryNamed(row.country_code) },
  { kind: 'device', columns: ['device_type'], read: (row) => deviceNamed(row.device_type) },
  { kind: 'browser', columns: ['browser'], read: ({ browser }) => browserNamed(browser) ?? cutValueOf(browser) },
  {
    kind: 'os',
    columns: ['operating_system'],
    read: ({ operating_system: system }) => systemNamed(system) ?? cutValueOf(system),
  },
];

/** A file of the export. */
interface Table {
  readonly name: 'pageviews' | 'events';
  readonly file: FileContent;
  readonly header: readonly string[];
}

/**
 * Opens the export, or returns `undefined` for other files. Throws {@link InvalidFile} if there are only events: only pageviews
 * say how many visitors a day has.
 */
export async function openFathom(contents: FileContents): Promise<SumContent | undefined> {
  const tables: Table[] = [];
  for (const file of contents.files) {
    const [first = ''] = (await file.start()).split(/\r?\n/, 1);
    const header = headerOf(first);
    const name = nameOf(header);
    if (name !== undefined) tables.push({ name, file, header });
  }
  if (tables.length === 0) return undefined;
  const [pageviews] = tables.filter(({ name }) => name === 'pageviews');
  if (pageviews === undefined) {
    throw new InvalidFile(storedText('onlyEvents'));
  }
  if (tables.filter(({ name }) => name === 'pageviews').length > 1) {
    throw new InvalidFile(storedText('severalPageviews'));
  }
  const kinds = KINDS.filter(({ columns }) => columns.every((column) => pageviews.header.includes(column)));
  const events = tables.filter(({ name }) => name === 'events');
  return sumContent(
    'fathom',
    [...kinds.map(({ kind }) => kind), ...events.map(() => 'event' as const)],
    [
      { file: pageviews.file, rows: () => rowsOf(pageviews, pageviewsRow(kinds, pageviews.header)) },
      ...events.map((table) => ({ file: table.file, rows: () => rowsOf(table, eventRow(table.header)) })),
    ],
    contents,
  );
}

function nameOf(header: readonly string[]): Table['name'] | undefined {
  if (!header.includes('datetime')) return undefined;
  if (header.includes('event_name') && columnOf(header, COMPLETIONS) !== undefined) return 'events';
  return FATHOM_COLUMNS.every((column) => header.includes(column)) ? 'pageviews' : undefined;
}

function columnOf(header: readonly string[], names: readonly string[]): string | undefined {
  return names.find((name) => header.includes(name));
}

type ReadSums = (row: Fields) => SumRow['sums'] | StoredText;

async function* rowsOf({ name, file }: Table, read: ReadSums): AsyncGenerator<Iterable<SumRow>> {
  const spacing = daySpacing();
  const inFile = placeIn(file);
  const toRow = (row: CsvRow): SumRow => {
    const day = dayOf(row);
    spacing.add(day);
    const sums = read(row.fields);
    const common = { ...inFile, line: row.line, table: name, day };
    return 'name' in sums ? { ...common, sums: [], skipped: { reason: 'faulty', text: sums } } : { ...common, sums };
  };
  for await (const rows of csvRows(await file.bytes(), namedIn(file))) yield map(rows, toRow);
  if (spacing.isCoarse()) {
    throw new InvalidFile(storedText('coarse', namedIn(file)));
  }
}

/** The sums of a row of pageviews. Without a column of visitors, there are at most as many as pageviews. */
function pageviewsRow(kinds: typeof KINDS, header: readonly string[]): ReadSums {
  const numbersOf = (row: Fields, names: readonly string[]): Totals | StoredText => {
    const visitors = columnOf(header, names);
    const read = readNumbers(row, { pageviews: 'pageviews', ...(visitors === undefined ? {} : { visitors }) });
    if ('name' in read) return read;
    const { pageviews } = read;
    return withoutVisits(visitors === undefined ? { pageviews } : { pageviews, visitors: read.visitors });
  };
  return (row) => {
    const numbers = numbersOf(row, VISITORS);
    const ofPage = numbersOf(row, PAGE_VISITORS);
    if ('name' in numbers) return numbers;
    if ('name' in ofPage) return ofPage;
    return [
      { kind: 'total', value: null, numbers },
      ...kinds.map(({ kind, read }) => ({ kind, value: read(row), numbers: kind === 'page' ? ofPage : numbers })),
    ];
  };
}

/** The sums of a row of events, which are also sums of the whole day. */
function eventRow(header: readonly string[]): ReadSums {
  const events = columnOf(header, COMPLETIONS) ?? '';
  const visitors = columnOf(header, UNIQUE_COMPLETIONS);
  return (row) => {
    const read = readNumbers(row, { events, ...(visitors === undefined ? {} : { visitors }) });
    if ('name' in read) return read;
    const ofDay = withoutVisits({ events: read.events, visitors: 0 });
    const { event_name: name = '' } = row;
    if (name === '') return storedText('emptyColumn', 'event_name');
    const ofEvent = visitors === undefined ? { events: read.events } : { events: read.events, visitors: read.visitors };
    return [
      { kind: 'event', value: fitName(name), numbers: withoutVisits(ofEvent) },
      { kind: 'total', value: null, numbers: ofDay },
    ];
  };
}

function dayOf({ fields: { datetime = '' } }: CsvRow): string {
  return /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?$/.test(datetime) ? datetime.slice(0, 10) : datetime;
}

function hostNamed(hostname = ''): string {
  return hostname
    .replace(/^https?:\/\//, '')
    .replace(/[/:].*$/s, '')
    .toLowerCase()
    .replace(/^www\./, '');
}

/** A row of the website's own host has no referrer. */
function referrerOf(row: Fields): Record<'source' | 'referrer', string | null> {
  const host = given(row.referrer_hostname);
  if (host === undefined) return { source: null, referrer: null };
  return referredBy(`${host.replace(/\/$/, '')}${given(row.referrer_pathname) ?? '/'}`, hostNamed(row.hostname));
}

/** With fewer days, weeks cannot be told from days without visitors. */
const MIN_DAYS = 5;
const WEEK_MS = 7 * 86_400_000;

/** Notices whether days are the first ones of weeks or months. */
function daySpacing() {
  const days = new Set<string>();
  return {
    add: (day: string) => days.add(day),
    isCoarse(): boolean {
      if (days.size < MIN_DAYS) return false;
      const weekdays = new Set([...days].map((day) => Date.parse(day) % WEEK_MS));
      return weekdays.size === 1 || [...days].every((day) => day.endsWith('-01'));
    },
  };
}
