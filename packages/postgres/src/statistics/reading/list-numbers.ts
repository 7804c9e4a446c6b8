import { setImmediate as otherWork } from 'node:timers/promises';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { SeriesPoint } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { countFolded } from '../columns/folded.ts';
import { type ByValue, totalsOf, totalsOfDays, visitorsOf } from '../columns/question.ts';
import type { TotalsName } from '../columns/totals.ts';
import type { VisitorNumber } from '../columns/visitors.ts';
import type { DayForms } from '../days/day-forms.ts';
import { readNumbers, spansToRead } from '../days/number-rows.ts';
import { byColumn } from '../days/stored-numbers.ts';
import { NUMBER_COLUMNS } from '../summary-columns.ts';
import { pointOfSum, pointsOf } from './days.ts';
import { readImportedSums, type SumRow } from './imported-sums.ts';
import type { AddedList, KeyedList, ListNumbers } from './keyed-list.ts';
import type { OpenDay, VisitCounts } from './visit-counts.ts';

/** A query, and how its days are read. */
export interface QueryForms {
  readonly query: StatisticsQuery;
  readonly forms: DayForms;
}

/** The numbers of lists, and the totals of days that are in none of `DayForms.totals`. */
export interface ManyLists {
  readonly days: readonly SeriesPoint[];
  of(dimension: Dimension): ListNumbers;
}

/** The numbers of values that are read: all, or only the numbers that short lists show. */
export type OfValues = 'all' | 'short';

/**
 * Reads the numbers of the lists of dimensions, in one pass of the days.
 *
 * @param withDays whether to count `days`
 */
export async function readListNumbers(
  transaction: Transaction,
  { query, forms }: QueryForms,
  counts: VisitCounts,
  dimensions: readonly Dimension[],
  ofValues: OfValues,
  withDays = false,
): Promise<ManyLists> {
  const open: OpenNumbers[] = [];
  for await (const day of counts.openDays(transaction, forms.visits)) {
    open.push(await countOpen(day, dimensions, ofValues, withDays));
  }
  const ofBook = await countBook(transaction, forms, counts, dimensions, ofValues);
  const sums = await readImportedSums(transaction, query, forms, ['total', ...dimensions]);
  const columns = ofValues === 'all' ? (['keys', 'rest'] as const) : (['keys'] as const);
  const stored = await readNumbers(transaction, forms.websiteNumber, spansToRead(forms, dimensions), columns);
  return {
    days: [...open.flatMap(({ days }) => days), ...sums('total').map(pointOfSum)],
    of(dimension) {
      const ofDays = ofBook[dimensions.indexOf(dimension)];
      return {
        stored: stored.filter(({ kind }) => kind === dimension),
        added: [
          ...open.flatMap(({ values }) => values.get(dimension) ?? []),
          addedSums(sums(dimension)),
          ...(ofDays === undefined ? [] : [ofDays]),
        ],
      };
    },
  };
}

/** The numbers of a day, and of its values as far as short lists need them. */
interface OpenNumbers {
  readonly days: readonly SeriesPoint[];
  readonly values: ReadonlyMap<Dimension, AddedList>;
}

async function countOpen(
  day: OpenDay,
  dimensions: readonly Dimension[],
  ofValues: OfValues,
  withDays: boolean,
): Promise<OpenNumbers> {
  const values = new Map<Dimension, AddedList>();
  for (const dimension of dimensions) {
    values.set(
      dimension,
      ofValues === 'all'
        ? addedTotals(await countFolded((kept) => totalsOf(dimension, kept), day.count))
        : addedVisitors(await countFolded((kept) => visitorsOf(dimension, kept), day.count)),
    );
  }
  return { days: withDays ? pointsOf(await day.count(totalsOfDays)) : [], values };
}

/** Counts the days in the book alone: of each dimension a list. */
async function countBook(
  transaction: Transaction,
  { visits }: DayForms,
  counts: VisitCounts,
  dimensions: readonly Dimension[],
  ofValues: OfValues,
): Promise<readonly AddedList[]> {
  const days = { ...visits, fromHits: [], cut: undefined };
  if (ofValues === 'all') {
    const questions = dimensions.map((dimension) => totalsOf(dimension));
    return (await counts.count(transaction, days, questions)).map(addedTotals);
  }
  const questions = dimensions.map((dimension) => visitorsOf(dimension));
  return (await counts.count(transaction, days, questions)).map(addedVisitors);
}

/** How long the process may add up before other work has its turn. */
const TURN_MS = 10;

/** Makes the lists of dimensions one after the other. */
export async function inTurns(
  dimensions: readonly Dimension[],
  listOf: (dimension: Dimension) => KeyedList,
): Promise<readonly (readonly [Dimension, KeyedList])[]> {
  const lists: (readonly [Dimension, KeyedList])[] = [];
  let since = performance.now();
  for (const dimension of dimensions) {
    lists.push([dimension, listOf(dimension)]);
    if (performance.now() - since < TURN_MS) continue;
    await otherWork();
    since = performance.now();
  }
  return lists;
}

function addedVisitors({ keys, numbers }: ByValue<VisitorNumber>): AddedList {
  return { values: keys, numbers: { visitors: numbers.visitors, events: numbers.hits } };
}

export function addedTotals({ keys, numbers }: ByValue<TotalsName>): AddedList {
  return { values: keys, numbers: byColumn(numbers) };
}

function addedSums(sums: readonly SumRow[]): AddedList {
  const numbers = NUMBER_COLUMNS.map((column) => [column, sums.map((row) => row[column])]);
  return {
    values: sums.map(({ value }) => value),
    numbers: Object.fromEntries(numbers),
    gaps: sums.map(({ gaps }) => gaps),
  };
}
