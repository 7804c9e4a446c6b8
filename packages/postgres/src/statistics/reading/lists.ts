import { setImmediate as otherWork } from 'node:timers/promises';
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
import { countFolded } from '../columns/folded.ts';
import { type ByValue, totalsOf, totalsOfDays, totalsOfHours, visitorsOf } from '../columns/question.ts';
import { type TotalsName, totalsOfNumbers } from '../columns/totals.ts';
import type { VisitorNumber } from '../columns/visitors.ts';
import type { DayForms, VisitDays } from '../days/day-forms.ts';
import { readNumbers, spansToRead } from '../days/number-rows.ts';
import { byColumn } from '../days/stored-numbers.ts';
import { type Kind, NUMBER_COLUMNS, toGaps } from '../summary-columns.ts';
import { addUpDays, pointOfSum, pointsOf } from './days.ts';
import { readImportedSums, type SumRow } from './imported-sums.ts';
import {
  type AddedList,
  type KeyedList,
  keyedList,
  type ListNumbers,
  pageOfKeyedList,
  stringsReader,
} from './keyed-list.ts';
import { firstValues, pageOfValues } from './value-lists.ts';
import type { OpenDay, VisitCounts } from './visit-counts.ts';

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
  const added: AddedList[] = [];
  for await (const day of counts.openDays(transaction, forms.visits)) {
    added.push(addedTotals(await countFolded((kept) => totalsOf(dimension, kept), day.count)));
  }
  const [ofBook] = await counts.count(transaction, inBook(forms), [totalsOf(dimension)]);
  added.push(addedTotals(ofBook));
  const sums = await readImportedSums(transaction, query, forms, [dimension]);
  added.push(addedSums(sums(dimension)));
  return pageOfKeyedList(await readKeyedList(transaction, forms, dimension, added), limit, position, order);
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
  const now = await readListNumbers(transaction, query, forms, counts, dimensions);
  const before =
    compared &&
    (await readListNumbers(transaction, compared.query, compared.forms, counts, compared.dimensions, false));
  const beforeOf = (dimension: Dimension) =>
    compared?.dimensions.includes(dimension) ? before?.of(dimension) : undefined;
  const readStrings = stringsReader(transaction, forms.websiteNumber);
  const lists: (readonly [Dimension, KeyedList])[] = [];
  let since = performance.now();
  for (const dimension of dimensions) {
    lists.push([dimension, keyedList(now.of(dimension), forms.valueSecret, readStrings, beforeOf(dimension))]);
    if (performance.now() - since < TURN_MS) continue;
    await otherWork();
    since = performance.now();
  }
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
export interface ComparedForms extends OverviewComparison {
  readonly forms: DayForms;
}

/** The numbers of lists, and the totals of days that are in none of `DayForms.totals`. */
interface ManyLists {
  readonly days: readonly SeriesPoint[];
  of(dimension: Dimension): ListNumbers;
}

/** @param withDays whether to count `days` */
async function readListNumbers(
  transaction: Transaction,
  query: StatisticsQuery,
  forms: DayForms,
  counts: VisitCounts,
  dimensions: readonly Dimension[],
  withDays = true,
): Promise<ManyLists> {
  const open: OpenNumbers[] = [];
  for await (const day of counts.openDays(transaction, forms.visits)) {
    open.push(await countOpen(day, dimensions, withDays));
  }
  const ofBook = await counts.count(
    transaction,
    inBook(forms),
    dimensions.map((dimension) => visitorsOf(dimension)),
  );
  const sums = await readImportedSums(transaction, query, forms, ['total', ...dimensions]);
  const stored = await readNumbers(transaction, forms.websiteNumber, spansToRead(forms, dimensions), ['keys']);
  return {
    days: [...open.flatMap(({ days }) => days), ...sums('total').map(pointOfSum)],
    of(dimension) {
      const ofDays = ofBook[dimensions.indexOf(dimension)];
      return {
        stored: stored.filter(({ kind }) => kind === dimension),
        added: [
          ...open.flatMap(({ values }) => values.get(dimension) ?? []),
          addedSums(sums(dimension)),
          ...(ofDays === undefined ? [] : [addedVisitors(ofDays)]),
        ],
      };
    },
  };
}

/** How long the process may add up before other work has its turn. */
const TURN_MS = 10;

/** The numbers of a day, and of its values as far as short lists need them. */
interface OpenNumbers {
  readonly days: readonly SeriesPoint[];
  readonly values: ReadonlyMap<Dimension, AddedList>;
}

async function countOpen(day: OpenDay, dimensions: readonly Dimension[], withDays: boolean): Promise<OpenNumbers> {
  const values = new Map<Dimension, AddedList>();
  for (const dimension of dimensions) {
    values.set(dimension, addedVisitors(await countFolded((kept) => visitorsOf(dimension, kept), day.count)));
  }
  return { days: withDays ? pointsOf(await day.count(totalsOfDays)) : [], values };
}

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

/** The days in the book alone. */
function inBook({ visits }: DayForms): VisitDays {
  return { ...visits, fromHits: [], cut: undefined };
}

function addedVisitors({ keys, numbers }: ByValue<VisitorNumber>): AddedList {
  return { values: keys, numbers: { visitors: numbers.visitors, events: numbers.hits } };
}

function addedTotals({ keys, numbers }: ByValue<TotalsName>): AddedList {
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
