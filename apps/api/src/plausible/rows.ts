import type { Period } from '@hitherto/domain/calendar';
import type { Definition } from '@hitherto/domain/definitions';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { FilterSet } from '@hitherto/domain/visits';
import { type CountDependencies, countRows } from './count-rows.ts';
import { type Counted, metricOf } from './metrics.ts';
import type { PlausibleQuery } from './query.ts';

/** A row of a result. */
export interface PlausibleRow {
  readonly dimensions: readonly string[];
  readonly metrics: readonly (number | null)[];
}

/**
 * The rows of a query, sorted: all of them, or the first ones where {@link countRows} reads no more. Of the last day, only hits
 * before the moment `until` count.
 */
export async function readRows(
  deps: CountDependencies,
  websiteId: string,
  query: PlausibleQuery & { readonly until?: Date | undefined },
  goals: readonly Definition<'goal'>[],
): Promise<PlausibleRow[]> {
  const rules = new Map(goals.map(({ id, content }) => [id, content.rule]));
  const queryOf = (filters: readonly FilterSet[], period: Period): StatisticsQuery => ({
    websiteId,
    ...period,
    filters,
    goals: rules,
    ...(query.until && { until: query.until }),
  });
  const own = queryOf(query.filters.sets, query.period);
  const isChosen = ({ dimensions }: Counted) =>
    query.filters.ofRows.every(({ dimension, matches }) =>
      matches(dimensions[query.dimensions.indexOf(dimension)] ?? ''),
    );
  const counted = (await countRows(deps, query, own, goals)).filter(isChosen);
  const isRated = query.metrics.some((metric) => /percentage|conversion_rate/.test(metric));
  const rated = isRated ? await withDivisors(deps, query, own, counted) : counted;
  const rows = rated.map((row) => ({
    dimensions: row.dimensions,
    metrics: query.metrics.map((metric) => metricOf(metric, row)),
  }));
  return sorted(rows, query);
}

/** Adds the visitors that rates are divided by: all visitors, and the visitors of the row's group. */
async function withDivisors(
  deps: CountDependencies,
  query: PlausibleQuery,
  own: StatisticsQuery,
  counted: readonly Counted[],
): Promise<Counted[]> {
  const isConversion = query.metrics.some((metric) => metric !== 'percentage' && metric.endsWith('conversion_rate'));
  const base = isConversion ? { ...own, filters: query.filters.ofDivisor, onlyHits: true } : own;
  const [grouping] = query.groupings;
  const [{ visitors: all }, { visitors: shown }] = await Promise.all([
    deps.statistics.totals(base),
    deps.statistics.totals(own),
  ]);
  const needsGroups = query.metrics.includes('group_conversion_rate') && grouping !== undefined;
  const groups = needsGroups ? await countRows(deps, query, base, []) : [];
  const byName = new Map(groups.map(({ dimensions, totals }) => [dimensions[0], totals.visitors]));
  return counted.map((row) => ({
    ...row,
    shown,
    all,
    group: needsGroups ? byName.get(row.dimensions[0]) : all,
  }));
}

function sorted(rows: readonly PlausibleRow[], { orderBy, metrics, dimensions }: PlausibleQuery): PlausibleRow[] {
  const keys = orderBy.map(([of, direction]) => {
    const metric = metrics.map(String).indexOf(of);
    const dimension = dimensions.indexOf(of);
    const sign = direction === 'asc' ? 1 : -1;
    return (a: PlausibleRow, b: PlausibleRow): number => {
      if (metric !== -1) return sign * ((a.metrics[metric] ?? 0) - (b.metrics[metric] ?? 0));
      return sign * compare(a.dimensions[dimension] ?? '', b.dimensions[dimension] ?? '');
    };
  });
  const byName = (a: PlausibleRow, b: PlausibleRow) => compare(a.dimensions.join('\0'), b.dimensions.join('\0'));
  return rows.toSorted((a, b) => {
    for (const key of [...keys, byName]) {
      const order = key(a, b);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
