import {
  type Dimension,
  externalReferrer,
  GAPS,
  NO_TOTALS,
  readPagePath,
  readReferrer,
  type StoredText,
  type SumContent,
  type SumKind,
  type SumRow,
  storedText,
  type Totals,
} from '@hitherto/domain/files';
import type { FileContent, FileContents } from './contents.ts';
import type { Fields } from './rows.ts';

/** Numbers of a row of sums; 0 if its table lacks the column. */
export interface SumNumbers {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly events: number;
  readonly bounces: number;
  /** Of all visits. */
  readonly seconds: number;
}

const NOTHING: SumNumbers = { visitors: 0, visits: 0, pageviews: 0, events: 0, bounces: 0, seconds: 0 };
const WHOLE = /^\d{1,15}$/;
/** A count has 31 bits where it is stored. */
const MAX_COUNT = 2 ** 31 - 1;

/**
 * The numbers of a row, or why it is faulty.
 *
 * @param columns of the numbers
 */
export function readNumbers(
  row: Fields,
  columns: Readonly<Partial<Record<keyof SumNumbers, string>>>,
): SumNumbers | StoredText {
  const numbers = { ...NOTHING };
  for (const [name, column] of Object.entries(columns) as [keyof SumNumbers, string][]) {
    const text = row[column] ?? '';
    const number = WHOLE.test(text) ? Number(text) : Number.NaN;
    if (!(number <= (name === 'seconds' ? Number.MAX_SAFE_INTEGER / 1_000 : MAX_COUNT))) {
      return storedText('notNumber', column, text.slice(0, 40));
    }
    numbers[name] = number;
  }
  return numbers;
}

/** Whether a number can be stored. */
export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && typeof value === 'number' && value >= 0 && value <= MAX_COUNT;
}

/** Numbers without visits. Of several hits, there are at most as many visitors, unless the file counts visitors. */
export function withoutVisits({
  pageviews = 0,
  events = 0,
  visitors,
}: Partial<Pick<Totals, 'visitors' | 'pageviews' | 'events'>>): Totals {
  const hits = pageviews + events;
  const gaps = GAPS.visits | (visitors === undefined && hits > 1 ? GAPS.visitorsAtMost : 0);
  return { ...NO_TOTALS, visitors: visitors ?? hits, pageviews, events, gaps };
}

/** A file of sums, and its rows. */
export interface SumFile {
  readonly file: FileContent;
  readonly rows: () => AsyncIterable<Iterable<SumRow>>;
}

/** The sums of several files, which are read one after the other. */
export function sumContent(
  format: SumContent['format'],
  kinds: Iterable<SumKind>,
  files: readonly SumFile[],
  contents: FileContents,
): SumContent {
  const sizes = files.map(({ file }) => file.size);
  const total = Math.max(1, sum(sizes));
  let current = 0;
  return {
    format,
    dimensions: [...new Set(kinds)].filter((kind): kind is Dimension => kind !== 'total'),
    async *sumRows() {
      try {
        for (const [index, { rows }] of files.entries()) {
          current = index;
          yield* rows();
        }
      } finally {
        contents.close();
      }
    },
    share: () => Math.min(1, (sum(sizes.slice(0, current)) + contents.share() * (sizes[current] ?? 0)) / total),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Longer values are cut, as in hits. */
const MAX_LENGTH = 2_000;

/** A value; `null` for none. */
export function cutValueOf(text: string | undefined): string | null {
  if (text === undefined || text === '' || text === '\\N' || text === '(not set)') return null;
  return text.slice(0, MAX_LENGTH);
}

/** The page of a path as collected hits have it, so that a page is one before and after a move; `null` for none. */
export function pageOfPath(path: string | undefined): string | null {
  const text = cutValueOf(path);
  return text && cutValueOf(readPagePath(text));
}

/** The source and the referrer of a host with a path; both are `null` within the website. */
export function referredBy(text: string, websiteHost: string): Record<'source' | 'referrer', string | null> {
  const referrer = externalReferrer(readReferrer(`https://${text.replace(/^https?:\/\//, '')}`), websiteHost);
  return { source: referrer?.host ?? null, referrer: referrer?.text ?? null };
}
