import type { Day } from '@hitherto/domain/calendar';
import { type SeriesPoint, sumTotals, type Totals } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { spansToRead } from '../days/day-rows.ts';
import type { DaySources } from '../days/day-sources.ts';
import { readNumbers } from '../days/number-rows.ts';
import { totalsOf } from '../days/stored-numbers.ts';
import { type RowWithGaps, toGaps, toTotals } from '../summary-columns.ts';

/** Reads the totals of the days that have numbers, in parts to be added up. */
export async function readCountedTotals(transaction: Transaction, sources: DaySources): Promise<readonly Totals[]> {
  const rows = await readNumbers(transaction, sources.websiteNumber, spansToRead(sources, ['total']), ['keys', 'rest']);
  return rows.map((row) => totalsOf(row)(0));
}

/** Reads the days that have numbers. */
export async function readCountedDays(
  transaction: Transaction,
  { websiteNumber, counted }: DaySources,
): Promise<readonly SeriesPoint[]> {
  const part = { isMonth: false, days: counted, kinds: ['total'] } as const;
  const rows = await readNumbers(transaction, websiteNumber, [part], ['keys', 'rest']);
  return rows.map((row) => ({ ...totalsOf(row)(0), start: row.day }));
}

/** The days that have numbers, and `rows` of days, in order of time. */
export function daysOfBoth(
  counted: readonly SeriesPoint[],
  rows: readonly (RowWithGaps & { readonly start: Day })[],
): SeriesPoint[] {
  const parts = new Map<SeriesPoint['start'], Totals[]>(counted.map(({ start, ...totals }) => [start, [totals]]));
  for (const row of rows) {
    const ofDay = parts.get(row.start) ?? [];
    // As `IS_LISTED`.
    if (ofDay.length === 0 && row.visitors <= 0 && row.gaps === null) continue;
    parts.set(row.start, [...ofDay, { ...toTotals(row), ...toGaps(row.gaps) }]);
  }
  const days = Array.from(parts, ([start, ofDay]) => ({ ...sumTotals(ofDay), start }));
  return days.sort((a, b) => (a.start < b.start ? -1 : 1));
}
