import { setImmediate as otherWork } from 'node:timers/promises';
import type { Overview, StatisticsQuery, TopValues, ValuePage, ValuePosition } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { SeriesPoint, Totals } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { countFolded } from '../columns/folded.ts';
import { type ByValue, totalsOf, totalsOfDays, totalsOfHours, visitorsOf } from '../columns/question.ts';
import type { DaySources } from '../days/day-sources.ts';
import { readNumbers, spansToRead } from '../days/number-rows.ts';
import type { Kind } from '../summary-columns.ts';
import { toGaps } from '../summary-columns.ts';
import { addUpDays, pointOfSum, pointsOf, readCountedDays } from './days.ts';
import { readImportedSums, type SumRow } from './imported-sums.ts';
import { type KeyedList, keyedList, pageOfKeyedList, stringsReader, type ValueRow } from './keyed-list.ts';
import { addUp, firstValues, pageOfValues } from './value-lists.ts';
import type { OpenDay, VisitCounts } from './visit-counts.ts';

/** Reads a page of the list of a dimension. */
export async function readValues(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  counts: VisitCounts,
  dimension: Dimension,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  if (query.filters.length > 0) {
    const [values] = await counts.count(transaction, sources.visits, [totalsOf(dimension)]);
    return pageOfValues(values, limit, position);
  }
  const open: ByValue<Totals>[] = [];
  for await (const day of counts.openDays(transaction, sources.visits)) {
    open.push(await countFolded((kept) => totalsOf(dimension, kept), day.count));
  }
  const sums = await readImportedSums(transaction, query, sources, [dimension]);
  const list = await readKeyedList(transaction, sources, dimension, rowsOf(open, sums(dimension)));
  return pageOfKeyedList(list, limit, position);
}

/** Reads the hours that have a hit, in order of time. */
export async function readHours(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  counts: VisitCounts,
): Promise<SeriesPoint[]> {
  const [hours] = await counts.count(transaction, sources.visits, [totalsOfHours(sources.visits.zone)]);
  if (query.filters.length > 0) return hourPoints(hours);
  const list = await readKeyedList(transaction, sources, 'hour', rowsOf([hours], []));
  const values = await list.part(0, list.total);
  return hourPoints(new Map(values.map(({ value, ...totals }) => [value, totals])));
}

const SECOND_MS = 1_000;

function hourPoints(hours: ByValue<Totals>): SeriesPoint[] {
  const points = Array.from(hours, ([hour, totals]) => ({ ...totals, start: new Date(Number(hour) * SECOND_MS) }));
  return points.sort((a, b) => a.start.getTime() - b.start.getTime());
}

/** Reads the days and the first values of dimensions. */
export async function readOverview(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  counts: VisitCounts,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  if (query.filters.length > 0) {
    const questions = dimensions.map((dimension) => visitorsOf(dimension));
    const [days, ...lists] = await counts.count(transaction, sources.visits, [totalsOfDays, ...questions]);
    const values = dimensions.map(
      (dimension, place) => [dimension, firstValues(dimension, lists[place] ?? new Map(), limit)] as const,
    );
    return { days: addUpDays(pointsOf(days)), values: new Map(values) };
  }
  const open: OpenNumbers[] = [];
  for await (const day of counts.openDays(transaction, sources.visits)) open.push(await countOpen(day, dimensions));
  const counted = await readCountedDays(transaction, sources);
  const sums = await readImportedSums(transaction, query, sources, ['total', ...dimensions]);
  const stored = await readNumbers(transaction, sources.websiteNumber, spansToRead(sources, dimensions), ['keys']);
  const readStrings = stringsReader(transaction, sources.websiteNumber);
  const lists: (readonly [Dimension, KeyedList])[] = [];
  let since = performance.now();
  for (const dimension of dimensions) {
    const ofDimension = stored.filter(({ kind }) => kind === dimension);
    const ofDays = open.map(({ values }) => values.get(dimension) ?? new Map());
    const added = rowsOf(ofDays, sums(dimension));
    lists.push([dimension, keyedList(ofDimension, added, sources.valueSecret, readStrings)]);
    if (performance.now() - since < TURN_MS) continue;
    await otherWork();
    since = performance.now();
  }
  const top = lists.map(async ([dimension, list]) => [dimension, await topOf(dimension, list, limit)] as const);
  return {
    days: addUpDays([...counted, ...open.flatMap(({ days }) => days), ...sums('total').map(pointOfSum)]),
    values: new Map(await Promise.all(top)),
  };
}

/** How long the process may add up before other work has its turn. */
const TURN_MS = 10;

/** The numbers of a day, and of its values as far as short lists need them. */
interface OpenNumbers {
  readonly days: readonly SeriesPoint[];
  readonly values: ReadonlyMap<Dimension, ByValue<Totals>>;
}

async function countOpen(day: OpenDay, dimensions: readonly Dimension[]): Promise<OpenNumbers> {
  const values = new Map<Dimension, ByValue<Totals>>();
  for (const dimension of dimensions) {
    const counted = await countFolded((kept) => visitorsOf(dimension, kept), day.count);
    values.set(
      dimension,
      new Map(
        Array.from(
          counted,
          ([value, { visitors, hits }]) => [value, { ...NOTHING_ELSE, visitors, events: hits }] as const,
        ),
      ),
    );
  }
  return { days: pointsOf(await day.count(totalsOfDays)), values };
}

const NOTHING_ELSE = { visits: 0, pageviews: 0, bounces: 0, visitsWithPageviews: 0, duration: 0 };

async function topOf(dimension: Dimension, list: KeyedList, limit: number): Promise<TopValues> {
  const top = await list.part(0, limit);
  const rows = top.map(({ value, visitors, events, gaps }) => ({
    value,
    visitors,
    events: dimension === 'event' ? events : undefined,
    ...toGaps(gaps),
  }));
  return { rows, total: list.total };
}

/** Reads the list of a kind from stored numbers, and adds rows. */
async function readKeyedList(
  transaction: Transaction,
  sources: DaySources,
  kind: Kind,
  added: readonly ValueRow[],
): Promise<KeyedList> {
  const { websiteNumber, valueSecret } = sources;
  const stored = await readNumbers(transaction, websiteNumber, spansToRead(sources, [kind]), ['keys', 'rest']);
  return keyedList(stored, added, valueSecret, stringsReader(transaction, websiteNumber));
}

/** Values of open days and of imports, each once. */
function rowsOf(open: readonly ByValue<Totals>[], sums: readonly SumRow[]): readonly ValueRow[] {
  const rows = new Map<string | null, ValueRow>();
  for (const row of sums) rows.set(row.value, row);
  for (const [value, { visitsWithPageviews, ...totals }] of addUp(open)) {
    const row = { ...totals, visits_with_pageviews: visitsWithPageviews, value, gaps: null };
    const known = rows.get(value);
    rows.set(value, known === undefined ? row : addRows(known, row));
  }
  return [...rows.values()];
}

function addRows(known: ValueRow, row: ValueRow): ValueRow {
  return {
    value: known.value,
    gaps: known.gaps,
    visitors: known.visitors + row.visitors,
    visits: known.visits + row.visits,
    pageviews: known.pageviews + row.pageviews,
    events: known.events + row.events,
    bounces: known.bounces + row.bounces,
    visits_with_pageviews: known.visits_with_pageviews + row.visits_with_pageviews,
    duration: known.duration + row.duration,
  };
}
