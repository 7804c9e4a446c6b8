import { groupBy } from '../base/group-by.ts';
import type { Interval } from '../calendar/days.ts';
import type { TimeZone } from '../calendar/time-zone.ts';
import type { ConvertedRow, CountedGoal, EventProperty } from '../engine/goal-reads.ts';
import type {
  StatisticsQuery,
  StatisticsReads,
  ValueOrder,
  ValuePage,
  ValuePosition,
  ValueTotals,
} from '../engine/statistics-repository.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { Totals } from '../visits/totals.ts';
import { intervalsOf, type Point, ratio, showSeries } from './show-statistics.ts';

/** The numbers of a goal for the visits of a row (api.md, "Statistics"). */
export interface Converted {
  /** Of the visits with a conversion. */
  readonly visitors: number;
  readonly conversions: number;
  /** Of all visitors of the row, 4 decimals; `null` if there are none. */
  readonly conversionRate: number | null;
}

interface ConversionsDependencies {
  readonly statistics: Pick<StatisticsReads, 'conversions'>;
}

/** The totals of a query and, if there is a goal, its conversions. */
export async function showConvertedTotals(
  { statistics }: { readonly statistics: Pick<StatisticsReads, 'totals' | 'conversions'> },
  query: StatisticsQuery,
  goal: CountedGoal | undefined,
): Promise<{ readonly totals: Totals; readonly converted: Converted | undefined }> {
  const [totals, rows] = await Promise.all([
    statistics.totals(query),
    goal === undefined ? undefined : statistics.conversions(query, goal, 'total'),
  ]);
  return { totals, converted: rows && convertedOf(rows, totals) };
}

/** The numbers of a website by interval and, if there is a goal, its conversions. */
export async function showConvertedSeries(
  deps: { readonly statistics: Pick<StatisticsReads, 'series' | 'conversions'>; readonly zone: TimeZone },
  query: StatisticsQuery,
  goal: CountedGoal | undefined,
  interval: Interval,
): Promise<{ readonly points: readonly Point[]; readonly converted: readonly Converted[] | undefined }> {
  const points = await showSeries(deps, query, interval);
  const converted = goal && (await showPointConversions(deps, query, goal, interval, points));
  return { points, converted };
}

/** A page of the values of a dimension or property and, if there is a goal, its conversions. */
export async function showConvertedValues(
  deps: { readonly statistics: Pick<StatisticsReads, 'values' | 'propertyValues' | 'conversions'> },
  query: StatisticsQuery,
  goal: CountedGoal | undefined,
  of: Dimension | EventProperty,
  limit: number,
  position?: ValuePosition,
  order?: ValueOrder,
): Promise<{ readonly page: ValuePage; readonly converted: readonly Converted[] | undefined }> {
  const { statistics } = deps;
  const page =
    typeof of === 'string'
      ? await statistics.values(query, of, limit, position, order)
      : await statistics.propertyValues(query, of.event, of.property, limit, position);
  const converted = goal && (await showValueConversions(deps, query, goal, of, page.rows));
  return { page, converted };
}

/** The conversions of a goal for each point of a series. An hour has the visits that begin in it. */
async function showPointConversions(
  { statistics, zone }: ConversionsDependencies & { readonly zone: TimeZone },
  query: StatisticsQuery,
  goal: CountedGoal,
  interval: Interval,
  points: readonly Point[],
): Promise<Converted[]> {
  const rows = await statistics.conversions(query, goal, interval === 'hour' ? 'hour' : 'day');
  const { keyOf } = intervalsOf(zone, query, interval);
  const byKey = groupBy(rows, ({ key }) => (key === null ? '' : keyOf(key)));
  return points.map((point) => convertedOf(byKey.get(keyOf(point.start)) ?? [], point));
}

/** The conversions of a goal for each row of a list of values. */
export async function showValueConversions(
  { statistics }: ConversionsDependencies,
  query: StatisticsQuery,
  goal: CountedGoal,
  by: Dimension | EventProperty,
  rows: readonly Pick<ValueTotals, 'value' | 'visitors'>[],
): Promise<Converted[]> {
  if (rows.length === 0) return [];
  const values = rows.map(({ value }) => value);
  const converted = await statistics.conversions(query, goal, by, values);
  const byValue = new Map(converted.map((row) => [row.key, row]));
  return rows.map((row) => {
    const found = byValue.get(row.value);
    return convertedOf(found === undefined ? [] : [found], row);
  });
}

function convertedOf(rows: readonly ConvertedRow[], { visitors: all }: Pick<Totals, 'visitors'>): Converted {
  const visitors = rows.reduce((sum, row) => sum + row.visitors, 0);
  const conversions = rows.reduce((sum, row) => sum + row.conversions, 0);
  return { visitors, conversions, conversionRate: ratio(visitors, all, 4) };
}
