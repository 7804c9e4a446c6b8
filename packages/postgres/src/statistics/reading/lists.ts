import {
  isChoice,
  type Overview,
  type OverviewComparison,
  type StatisticsQuery,
  type TopValues,
  type ValueOrder,
  type ValuePage,
  type ValuePosition,
  type ValueTotals,
  type VisitorsByHour,
  visitorsByHour,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { SeriesPoint } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { entriesOf } from '../columns/counter.ts';
import { totalsOf, totalsOfDays, totalsOfHours, visitorsOf } from '../columns/question.ts';
import { totalsOfNumbers } from '../columns/totals.ts';
import type { DayForms } from '../days/day-forms.ts';
import { readNumbers, spansToRead } from '../days/number-rows.ts';
import { type Kind, toGaps } from '../summary-columns.ts';
import { addUpDays, pointsOf } from './days.ts';
import { type AddedList, type KeyedList, keyedList, pageOfKeyedList, stringsReader } from './keyed-list.ts';
import { addedTotals, inTurns, type QueryForms, readListNumbers } from './list-numbers.ts';
import { firstValues, pageOfValues } from './value-lists.ts';
import type { VisitCounts } from './visit-counts.ts';

/** Reads a page of the list of a dimension. */
export async function readValues(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
  dimension: Dimension,
  limit: number,
  position: ValuePosition | undefined,
  order: ValueOrder = 'visitors',
): Promise<ValuePage> {
  if (isChoice(query)) {
    const [values] = await counts.count(transaction, forms.visits, [totalsOf(dimension)]);
    return pageOfValues(values, limit, position, order);
  }
  const numbers = await readListNumbers(transaction, { query, forms }, counts, [dimension], 'all');
  const readStrings = stringsReader(transaction, forms.websiteNumber);
  return pageOfKeyedList(keyedList(numbers.of(dimension), forms.valueSecret, readStrings), limit, position, order);
}

/** Reads the hours that have a hit, in order of time. */
export async function readHours(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
): Promise<SeriesPoint[]> {
  const [hours] = await counts.count(transaction, forms.visits, [totalsOfHours(forms.visits.zone)]);
  if (isChoice(query))
    return pointsOfHours(Array.from(entriesOf(hours), ([value, numbers]) => ({ ...totalsOfNumbers(numbers), value })));
  const list = await readKeyedList(transaction, forms, 'hour', [addedTotals(hours)]);
  return pointsOfHours(await list.part(0, list.total));
}

/** The visitors of the same hours. */
export async function readVisitorsByHour(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
): Promise<VisitorsByHour> {
  if (isChoice(query)) return visitorsByHour(await readHours(transaction, query, forms, counts));
  const [hours] = await counts.count(transaction, forms.visits, [totalsOfHours(forms.visits.zone)]);
  const list = await readKeyedList(transaction, forms, 'hour', [addedTotals(hours)], ['keys']);
  const visitors = [...(await list.visitors())].sort((a, b) => Number(a.value) - Number(b.value));
  return {
    starts: Float64Array.from(visitors, ({ value }) => Number(value) * SECOND_MS),
    visitors: Float64Array.from(visitors, (ofHour) => ofHour.visitors),
  };
}

function pointsOfHours(hours: readonly ValueTotals[]): SeriesPoint[] {
  const points = hours.map(({ value, ...totals }) => ({ ...totals, start: new Date(Number(value) * SECOND_MS) }));
  return points.sort((a, b) => a.start.getTime() - b.start.getTime());
}

const SECOND_MS = 1_000;

/** Reads the days and the first values of dimensions. */
export async function readOverview(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
  dimensions: readonly Dimension[],
  limit: number,
  compared: ComparedForms | undefined,
): Promise<Overview> {
  if (isChoice(query)) {
    const questions = dimensions.map((dimension) => visitorsOf(dimension));
    const questionsBefore = compared?.dimensions.map((dimension) => visitorsOf(dimension)) ?? [];
    const [days, ...lists] = await counts.count(transaction, forms.visits, [totalsOfDays, ...questions]);
    const before = compared && (await counts.count(transaction, compared.forms.visits, questionsBefore));
    const values = dimensions.flatMap((dimension, place) => {
      const list = lists[place];
      if (list === undefined) return [];
      const listBefore = before?.[compared?.dimensions.indexOf(dimension) ?? -1];
      return [[dimension, firstValues(dimension, list, limit, listBefore, compared?.changed)] as const];
    });
    return { days: addUpDays(pointsOf(days)), values: new Map(values) };
  }
  const now = await readListNumbers(transaction, { query, forms }, counts, dimensions, 'short', true);
  const before = compared && (await readListNumbers(transaction, compared, counts, compared.dimensions, 'short'));
  const beforeOf = (dimension: Dimension) =>
    compared?.dimensions.includes(dimension) ? before?.of(dimension) : undefined;
  const readStrings = stringsReader(transaction, forms.websiteNumber);
  const lists = await inTurns(dimensions, (dimension) =>
    keyedList(now.of(dimension), forms.valueSecret, readStrings, beforeOf(dimension)),
  );
  const top = lists.map(async ([dimension, list]) => {
    const [values, changed] = await Promise.all([
      topOf(dimension, list, limit),
      compared?.changed.includes(dimension) ? list.changed() : undefined,
    ]);
    return [dimension, changed === undefined ? values : { ...values, changed }] as const;
  });
  return { days: addUpDays([...forms.totals, ...now.days]), values: new Map(await Promise.all(top)) };
}

/** The comparison of an overview. */
export interface ComparedForms extends OverviewComparison, QueryForms {}

async function topOf(dimension: Dimension, list: KeyedList, limit: number): Promise<TopValues> {
  const top = await list.part(0, limit);
  const rows = top.map(({ value, visitors, events, gaps, before }) => ({
    value,
    visitors,
    events: dimension === 'event' ? events : undefined,
    ...toGaps(gaps),
    ...(before === undefined ? {} : { before }),
  }));
  return { rows, total: list.total };
}

/** Reads the list of a kind from stored numbers, and adds rows. */
async function readKeyedList(
  transaction: Transaction,
  forms: DayForms,
  kind: Kind,
  added: readonly AddedList[],
  columns: Parameters<typeof readNumbers>[3] = ['keys', 'rest'],
): Promise<KeyedList> {
  const { websiteNumber, valueSecret } = forms;
  const stored = await readNumbers(transaction, websiteNumber, spansToRead(forms, [kind]), columns);
  return keyedList({ stored, added }, valueSecret, stringsReader(transaction, websiteNumber));
}
