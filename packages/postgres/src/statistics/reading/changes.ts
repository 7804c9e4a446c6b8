import { type ChangedNumber, isChoice, joinNumbers, type ValueChanges, valueChanges } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { Transaction } from '../../connection/transaction.ts';
import { type ByValue, totalsOf, visitorsOf } from '../columns/question.ts';
import type { VisitDays } from '../days/day-forms.ts';
import { keyedList, stringsReader } from './keyed-list.ts';
import { inTurns, type QueryForms, readListNumbers } from './list-numbers.ts';
import type { VisitCounts } from './visit-counts.ts';

/** Reads how a number of the values of dimensions changed. */
export async function readChanges(
  transaction: Transaction,
  before: QueryForms,
  after: QueryForms,
  counts: VisitCounts,
  number: ChangedNumber,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<ReadonlyMap<Dimension, ValueChanges>> {
  if (isChoice(after.query)) {
    const [listsBefore, listsAfter] = [
      await countNumbers(transaction, before.forms.visits, counts, number, dimensions),
      await countNumbers(transaction, after.forms.visits, counts, number, dimensions),
    ];
    return new Map(
      dimensions.map((dimension, place) => {
        const values = joinNumbers(listsBefore[place] ?? new Map(), listsAfter[place] ?? new Map());
        return [dimension, valueChanges(values, limit)];
      }),
    );
  }
  const ofValues = number === 'visitors' ? 'short' : 'all';
  const [numbersBefore, numbersAfter] = [
    await readListNumbers(transaction, before, counts, dimensions, ofValues),
    await readListNumbers(transaction, after, counts, dimensions, ofValues),
  ];
  const { valueSecret, websiteNumber } = after.forms;
  const readStrings = stringsReader(transaction, websiteNumber);
  const lists = await inTurns(dimensions, (dimension) =>
    keyedList(numbersAfter.of(dimension), valueSecret, readStrings, numbersBefore.of(dimension), number),
  );
  return new Map(
    await Promise.all(lists.map(async ([dimension, list]) => [dimension, await list.changes(limit)] as const)),
  );
}

/** Counts a number of the values of dimensions in all chosen visits. */
async function countNumbers(
  transaction: Transaction,
  visits: VisitDays,
  counts: VisitCounts,
  number: ChangedNumber,
  dimensions: readonly Dimension[],
): Promise<readonly ReadonlyMap<string | null, number>[]> {
  const mapOf = (values: ByValue<never>, numbers: Float64Array) =>
    new Map(values.keys.map((value, place) => [value, numbers[place] ?? 0]));
  if (number === 'visitors') {
    const lists = await counts.count(
      transaction,
      visits,
      dimensions.map((dimension) => visitorsOf(dimension)),
    );
    return lists.map((list) => mapOf(list, list.numbers.visitors));
  }
  const lists = await counts.count(
    transaction,
    visits,
    dimensions.map((dimension) => totalsOf(dimension)),
  );
  return lists.map((list) => mapOf(list, list.numbers[number]));
}
