import { storableString } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { NO_TOTALS, type SeriesPoint, sumTotals, type Totals, type VisitSet } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { entriesOf } from '../columns/counter.ts';
import { type ByValue, totalsOfDays } from '../columns/question.ts';
import { type TotalsName, totalsOfNumbers } from '../columns/totals.ts';
import type { DayForms } from '../days/day-forms.ts';
import { readNumbers } from '../days/number-rows.ts';
import { decodeKeys, placeOfKey, totalsOf } from '../days/stored-numbers.ts';
import { valueKeys } from '../days/value-keys.ts';
import { toGaps, toTotals } from '../summary-columns.ts';
import { readImportedSums, type SumRow } from './imported-sums.ts';
import type { VisitCounts } from './visit-counts.ts';

/** Reads the days that have a visitor, or a sum of an import, in order of time. */
export async function readDays(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
): Promise<SeriesPoint[]> {
  const [counted] = await counts.count(transaction, forms.visits, [totalsOfDays]);
  const sums = await readImportedSums(transaction, query, forms, ['total']);
  return addUpDays([...pointsOf(counted), ...forms.totals, ...sums('total').map(pointOfSum)]);
}

/** A row of the kind `total` as a point. */
export function pointOfSum(row: SumRow): SeriesPoint {
  return { ...toTotals(row), ...toGaps(row.gaps), start: row.value ?? '' };
}

/** Numbers by day as points. */
export function pointsOf(days: ByValue<TotalsName>): SeriesPoint[] {
  return Array.from(entriesOf(days), ([day, numbers]) => ({ ...totalsOfNumbers(numbers), start: day ?? '' }));
}

/** The numbers of each day, in order of time. */
export function addUpDays(points: readonly SeriesPoint[]): SeriesPoint[] {
  const parts = new Map<SeriesPoint['start'], Totals[]>();
  for (const { start, ...totals } of points) parts.set(start, [...(parts.get(start) ?? []), totals]);
  const days = Array.from(parts, ([start, ofDay]) => ({ ...sumTotals(ofDay), start }));
  return days.sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** Reads the days, of the visits that the filters choose: from stored numbers where these suffice, otherwise from visits. */
export async function readFilteredDays(
  transaction: Transaction,
  forms: DayForms,
  counts: VisitCounts,
): Promise<SeriesPoint[]> {
  const fromNumbers = await readNumberedDays(transaction, forms);
  const known = new Set(fromNumbers.map(({ start }) => start));
  const isLeft = (day: Day) => !known.has(day);
  const visits = {
    ...forms.visits,
    fromBook: forms.visits.fromBook.filter(({ day }) => isLeft(day)),
    fromHits: forms.visits.fromHits.filter(({ day }) => isLeft(day)),
  };
  const [counted] = await counts.count(transaction, visits, [totalsOfDays]);
  return addUpDays([...fromNumbers, ...pointsOf(counted)].filter(({ visitors }) => visitors > 0));
}

/**
 * The days whose stored numbers have those of the filter. They have the visits of each value, but not of two values together, and
 * pages and events have numbers of their own there. Values in the rest of a large day have to be looked for in its visits.
 */
async function readNumberedDays(
  transaction: Transaction,
  { websiteNumber, valueSecret, counted, visits, filters }: DayForms,
): Promise<SeriesPoint[]> {
  const single = singleValue(filters);
  if (single === undefined) return [];
  const { dimension, value } = single;
  const asked = new Set([...visits.fromBook, ...visits.fromHits].map(({ day }) => day));
  const part = { isMonth: false, days: counted.filter((day) => asked.has(day)), kinds: [dimension] };
  const rows = await readNumbers(transaction, websiteNumber, [part], ['keys', 'rest']);
  const wanted = valueKeys(valueSecret, [value]);
  const others = valueKeys(valueSecret, [OTHER_VALUES]);
  return rows.flatMap((row) => {
    const keys = decodeKeys(row.size, row.keys);
    const place = placeOfKey(keys, wanted);
    if (place !== undefined) return { ...totalsOf(row)(place), start: row.day };
    return placeOfKey(keys, others) === undefined ? { ...NO_TOTALS, start: row.day } : [];
  });
}

/** The only filter, if it is by one value and stored numbers have its visits. */
function singleValue(
  sets: readonly VisitSet[],
): { readonly dimension: Dimension; readonly value: string | null } | undefined {
  const [filter, ...more] = sets.flatMap(({ filters }) => filters);
  if (filter?.kind !== 'dimension' || filter.isNegated || filter.comparator !== 'is' || more.length > 0)
    return undefined;
  const { dimension, values } = filter;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0 || value === OTHER_VALUES) return undefined;
  if (dimension === 'page' || dimension === 'event') return undefined;
  return { dimension, value: value === null ? null : storableString(value) };
}
