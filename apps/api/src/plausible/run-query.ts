import {
  dayOf,
  daysBetween,
  endOfDay,
  formatWithOffset,
  type Period,
  startOfDay,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { type DefinitionRepositories, GOAL, SEGMENT } from '@hitherto/domain/definitions';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { type AskedOfDays, daysWithout, type ImportRepository, importedPeriods } from '@hitherto/domain/imports';
import { cutDay } from '@hitherto/domain/reading';
import { listResources } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { type ComparedRow, compareRows, labelsOf } from './comparison.ts';
import { labelOf } from './count-rows.ts';
import type { ComparedPeriods } from './date-range.ts';
import { type PlausibleMetric, type PlausibleQuery, readQuery } from './query.ts';
import { type PlausibleRow, readRows } from './rows.ts';
import { PLAUSIBLE_DIMENSIONS } from './words.ts';

export interface QueryDependencies {
  readonly statistics: StatisticsRepository;
  readonly definitions: DefinitionRepositories;
  readonly imports: Pick<ImportRepository, 'importedDays'>;
  readonly now: () => Date;
}

/** A site, with the key's account. */
export interface Site {
  readonly accountId: string;
  readonly website: Website;
  readonly zone: TimeZone;
}

/** Runs a query; `rows` are those of all pages, and `body` is the response. */
export async function runQuery(deps: QueryDependencies, site: Site, body: Readonly<Record<string, unknown>>) {
  const { accountId, website, zone } = site;
  const key = { accountId, websiteId: website.id };
  const [goals, segments, firstDay] = await Promise.all([
    listResources(deps, GOAL, key),
    listResources(deps, SEGMENT, key),
    body.date_range === 'all' ? deps.statistics.firstDay(website.id) : undefined,
  ]);
  const query = readQuery(body, { goals, segments }, { zone, today: dayOf(zone, deps.now()), firstDay });
  const { comparison } = query;
  const own = comparison?.own ?? query.period;
  const [rows, others] = await deps.statistics.reading({ websiteId: website.id, ...own }, async (statistics) => {
    const read = (period: Period, until?: Date) =>
      readRows({ statistics, zone }, website.id, { ...query, period, until }, goals);
    const readOther = async ({ other, isOpen }: ComparedPeriods) => {
      const { until } = isOpen ? await cutDay({ ...deps, statistics, zone }, website.id, other.to) : {};
      return read(other, until);
    };
    return [await read(own), comparison && (await readOther(comparison))] as const;
  });
  const shown = comparison && others ? compareRows(zone, query, comparison, rows, others) : rows;
  const imports = query.include.imports === true ? await importsOf(deps, website.id, query) : {};
  return { query, rows, body: bodyOf(zone, query, shown, imports) };
}

/** Whether imported days are in the numbers, or why not. */
async function importsOf(
  deps: Pick<QueryDependencies, 'imports'>,
  websiteId: string,
  query: PlausibleQuery,
): Promise<object> {
  const imported = await importedPeriods(deps, websiteId, query.period);
  if (imported.length === 0) return { imports_included: false, imports_skip_reason: 'no_imported_data' };
  const without = daysWithout(imported, askedOf(query));
  if (without.length === 0) return { imports_included: true };
  const days = without.map(({ from, to }) => `${from} to ${to}`).join(', ');
  return {
    imports_included: without.length < imported.length,
    imports_skip_reason: 'unsupported_query',
    imports_warning: `Imported days are left out, because only sums are known of them: ${days}.`,
  };
}

/** Filters, goals, properties and the values of a second dimension need visits. */
function askedOf({ filters, groupings, interval }: PlausibleQuery): AskedOfDays {
  const listed = groupings.filter(({ by }) => by !== 'time');
  const [grouping] = listed;
  if (filters.sets.length > 0 || listed.length > 1) return 'hits';
  if (grouping === undefined) return interval === 'hour' ? 'hour' : 'total';
  return grouping.by === 'value' ? (PLAUSIBLE_DIMENSIONS.get(grouping.name)?.dimension ?? 'hits') : 'hits';
}

function bodyOf(zone: TimeZone, query: PlausibleQuery, rows: readonly (PlausibleRow | ComparedRow)[], imports: object) {
  const { limit, offset, include, interval, period, hours } = query;
  const from = hours?.from ?? startOfDay(zone, period.from);
  const until = hours?.until ?? endOfDay(zone, period.to);
  const isAsked = (label: string) =>
    hours === undefined || (labelOf(zone, from) <= label && label < labelOf(zone, until));
  const labels =
    include.time_labels === true && interval !== undefined
      ? labelsOf(zone, period, interval).filter(isAsked)
      : undefined;
  const warnings = warningsOf(query);
  return {
    results: rows.slice(offset, offset + limit),
    meta: {
      ...imports,
      ...(labels === undefined ? {} : { time_labels: labels }),
      ...(include.total_rows === true ? { total_rows: rows.length } : {}),
      ...(Object.keys(warnings).length === 0 ? {} : { metric_warnings: warnings }),
    },
    query: {
      site_id: query.siteId,
      metrics: query.metrics,
      date_range: [formatWithOffset(zone, from), formatWithOffset(zone, new Date(until.getTime() - 1_000))],
      filters: query.sentFilters,
      dimensions: query.dimensions,
      order_by: query.orderBy,
      include,
      pagination: { offset, limit },
    },
  };
}

interface Warning {
  readonly code: string;
  readonly warning: string;
}

function warningsOf({ metrics, period, filters, groupings }: PlausibleQuery): Record<string, Warning> {
  const warnings: Record<string, Warning> = {};
  const warn = (metric: PlausibleMetric, code: string, text: string) => {
    if (!metrics.includes(metric)) return;
    const first = warnings[metric];
    warnings[metric] = { code: first?.code ?? code, warning: first === undefined ? text : `${first.warning} ${text}` };
  };
  const isByDay = groupings.some((grouping) => grouping.by === 'time' && grouping.interval === 'day');
  if (!isByDay && daysBetween(period.from, period.to) > 1) {
    warn('visitors', 'visitors_per_day', 'Visitors are counted per day: one who comes on two days counts twice.');
  }
  const isByProperty = groupings.some(({ by }) => by === 'property');
  const isByGoal = groupings.some(({ by }) => by === 'goal') || (isByProperty && filters.goals.length > 0);
  if (filters.isByEvent && !isByGoal) {
    const text = 'Filters by "event:", also in segments, choose visits; this counts everything in these visits.';
    for (const metric of ['pageviews', 'events'] as const) warn(metric, 'whole_visits', text);
  }
  if (isByProperty) {
    const text =
      'Events without the property are only listed, as "(none)", with a filter by a goal, and if no visit has its event with the property and without it.';
    for (const metric of ['visitors', 'events'] as const) warn(metric, 'none_left_out', text);
  }
  return warnings;
}
