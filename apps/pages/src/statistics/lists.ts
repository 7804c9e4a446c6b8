import { ratesOf, type ValuePosition, type ValueTotals } from '@hitherto/domain';

/** The columns of a list, by the names of the API and in its order (statistics.md, section 5). */
export const LIST_COLUMNS = ['visitors', 'visits', 'pageviews', 'events', 'bounce_rate', 'visit_duration'] as const;
export type ListColumn = (typeof LIST_COLUMNS)[number];

/** The columns of a list; for pages and events only counts are meaningful. */
export function columnsOf(dimension: string): readonly ListColumn[] {
  if (dimension === 'event' || dimension === 'property') return ['visitors', 'visits', 'events'];
  if (dimension === 'page') return ['visitors', 'visits', 'pageviews'];
  return ['visitors', 'visits', 'pageviews', 'bounce_rate', 'visit_duration'];
}

/** A number of a row, in the API's units. */
export function cellOf(row: ValueTotals, column: ListColumn): number | null {
  if (column === 'bounce_rate') return ratesOf(row).bounceRate;
  if (column === 'visit_duration') return ratesOf(row).visitDuration;
  return row[column];
}

const MAX_CURSOR_LENGTH = 16_384;

/** The text form of a position, for the address of a list. */
export function encodePosition({ side, visitors, value }: ValuePosition): string {
  return Buffer.from(JSON.stringify([side, visitors, value])).toString('base64url');
}

/** The position in a text; `undefined`, which means the first row, if there is none or it is faulty. */
export function decodePosition(text: string | null): ValuePosition | undefined {
  if (text === null || text.length > MAX_CURSOR_LENGTH) return undefined;
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [side, visitors, value]: unknown[] = Array.isArray(read) ? read : [];
    if (side !== 'after' && side !== 'up_to') return undefined;
    if (typeof visitors !== 'number' || !Number.isSafeInteger(visitors) || visitors < 0) return undefined;
    if (value !== null && (typeof value !== 'string' || /[\0\p{Cs}]/u.test(value))) return undefined;
    return { side, visitors, value };
  } catch {
    return undefined;
  }
}
