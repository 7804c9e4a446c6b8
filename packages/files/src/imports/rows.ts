import {
  type HitDetails,
  type ImportRow,
  instantOf,
  type RowPlace,
  type StoredText,
  timeZone,
} from '@hitherto/domain/files';

/** The fields of a row of CSV. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Values that the rows of a file lack. */
export interface RowContext {
  /** The scheme and host of the website: `https://example.com`. */
  readonly origin: string;
  /** Reads a time; one without an offset is of the zone. An unreadable one is invalid. */
  readonly timeOf: (text: string | undefined) => Date;
}

/** The context of a row that stands in a line of a file. */
export interface LineContext extends RowContext {
  /** The line on which the row ends, counted from 1. */
  readonly line: number;
}

/** A row without its place. */
export type ReadRow = Omit<ImportRow, keyof RowPlace>;
/** Values of a hit that the file itself has. */
export type Stated = Partial<HitDetails>;

/** Rows that are not a hit of a kind that is counted. */
export function notCounted(text: StoredText): ReadRow {
  return { skipped: { reason: 'not_counted', text } };
}

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/;
const WITH_OFFSET = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?\s?(Z|UTC|[+-]\d\d(:?\d\d)?)$/i;

/** Reads times such as `2026-11-20 12:00:00`, which are of this zone unless they say otherwise. */
export function timeReader(zoneName: string): RowContext['timeOf'] {
  const zone = timeZone(zoneName);
  return (text = '') => {
    const [, day, clock = ''] = LOCAL_TIME.exec(text.trim()) ?? [];
    if (day !== undefined) return instantOf(zone, Date.parse(`${day}T${clock}Z`));
    if (!WITH_OFFSET.test(text.trim())) return new Date(Number.NaN);
    return new Date(
      text
        .trim()
        .replace(' ', 'T')
        .replace(/\s?UTC$/i, 'Z')
        // PostgreSQL writes `+01` for whole hours.
        .replace(/([+-]\d\d)$/, '$1:00')
        .replace(/([+-]\d\d)(\d\d)$/, '$1:$2'),
    );
  };
}

/** An address from its parts. The path may end with a fragment; the query, which comes before it, may begin with `?`. */
export function urlOfParts(origin: string, path = '/', query = ''): string {
  const search = query === '' || query.startsWith('?') ? query : `?${query}`;
  const [, plain = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(path) ?? [];
  return `${origin}${plain.startsWith('/') ? '' : '/'}${plain}${search}${fragment}`;
}

/** How programs write a missing value; tools for MySQL write the word. */
const MISSING: ReadonlySet<string | undefined> = new Set([undefined, '', '\\N', 'NULL']);

/** The value of a field, if it has one. */
export function given(text: string | undefined): string | undefined {
  return MISSING.has(text) ? undefined : text;
}

/** The rows of each of these, when they are asked for. */
export function* flatMap<Row, Mapped>(
  rows: Iterable<Row>,
  toMapped: (row: Row) => Iterable<Mapped>,
): Generator<Mapped> {
  for (const row of rows) yield* toMapped(row);
}

/** Maps rows when they are asked for. */
export function* map<Row, Mapped>(rows: Iterable<Row>, toMapped: (row: Row) => Mapped): Generator<Mapped> {
  for (const row of rows) yield toMapped(row);
}
