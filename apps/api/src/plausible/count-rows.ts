import {
  type Day,
  daysOf,
  formatWithOffset,
  type Interval,
  type Period,
  type TimeZone,
} from '@hitherto/domain/calendar';
import { countedGoal, type Definition } from '@hitherto/domain/definitions';
import type { StatisticsQuery, StatisticsReads } from '@hitherto/domain/engine';
import { showGoals, showSeries } from '@hitherto/domain/reading';
import { allOf, type Filter, type FilterSet, valueFilter } from '@hitherto/domain/visits';
import { InvalidQuery } from './invalid-query.ts';
import { type Counted, NOTHING } from './metrics.ts';
import { MAX_ROWS, type PlausibleGrouping, type PlausibleQuery } from './query.ts';
import { NONE, PLAUSIBLE_DIMENSIONS, toTheirs } from './words.ts';

export interface CountDependencies {
  readonly statistics: StatisticsReads;
  readonly zone: TimeZone;
}

/** Queries for the values of a second dimension, at most. */
const MAX_QUERIES = 100;

/** The numbers of all rows, or of those with the most visitors where they are enough; not sorted. */
export async function countRows(
  deps: CountDependencies,
  query: PlausibleQuery,
  own: StatisticsQuery,
  goals: readonly Definition<'goal'>[],
): Promise<Counted[]> {
  const { groupings, filters, hours, comparison } = query;
  const [first, second] = groupings;
  if (first === undefined) return [{ dimensions: [], totals: await deps.statistics.totals(own) }];
  if (second !== undefined) return countNested(deps, own, query, first, second);
  switch (first.by) {
    case 'time': {
      const points = await showSeries(deps, own, first.interval);
      const isAsked = (start: Day | Date) =>
        hours === undefined || (typeof start === 'object' && hours.from <= start && start < hours.until);
      // A comparison has all intervals, empty ones too.
      return points
        .filter(({ visits, visitors, events, pageviews }) => comparison || visits + visitors + events + pageviews > 0)
        .filter(({ start }) => isAsked(start))
        .map(({ start, ...totals }) => ({
          dimensions: [intervalLabel(own, first.interval, labelOf(deps.zone, start))],
          totals,
        }));
    }
    case 'goal': {
      const shown = await showGoals(deps, own, goals.map(countedGoal));
      const wanted = filters.goals.length === 0 ? goals : filters.goals;
      return shown.flatMap(({ visitors, visits, conversions }, index) => {
        const goal = goals[index];
        if (goal === undefined || conversions === 0 || !wanted.some(({ id }) => id === goal.id)) return [];
        return [{ dimensions: [goal.name], totals: { ...NOTHING, visitors, visits }, conversions }];
      });
    }
    case 'property':
      return countProperties(deps, own, query, first.property);
    case 'value':
      return countValues(deps, own, query, first.name);
  }
}

/** Whether the first rows of a list that is too long are enough: lists are sorted by visitors, so a page of them is exact. */
function needsFirstRows({
  groupings,
  orderBy,
  metrics,
  filters,
  include,
  comparison,
  offset,
  limit,
}: PlausibleQuery): boolean {
  const [first, ...others] = orderBy;
  const isByVisitors = first?.[0] === 'visitors' && first[1] === 'desc' && others.length === 0;
  const isPage = offset + limit <= MAX_ROWS && include.total_rows !== true && filters.ofRows.length === 0;
  const isLookedUp = comparison !== undefined || metrics.includes('group_conversion_rate');
  return groupings.length === 1 && isByVisitors && isPage && !isLookedUp;
}

async function countValues(
  deps: CountDependencies,
  own: StatisticsQuery,
  query: PlausibleQuery,
  name: string,
): Promise<Counted[]> {
  const known = PLAUSIBLE_DIMENSIONS.get(name);
  if (known === undefined) return [];
  const { rows, next } = await deps.statistics.values(own, known.dimension, MAX_ROWS);
  if (next !== undefined && !needsFirstRows(query)) throw tooManyRows();
  return rows.map(({ value, ...totals }) => ({ dimensions: [toTheirs(known, value)], totals }));
}

/** The values of a property: of the events of the goal that visits are filtered by, or of any event. */
async function countProperties(
  deps: CountDependencies,
  own: StatisticsQuery,
  query: PlausibleQuery,
  property: string,
): Promise<Counted[]> {
  const [goal, ...others] = query.filters.goals;
  const rule = goal?.content.rule;
  const isOfEvent = rule !== undefined && 'event' in rule && Object.keys(rule.props).length === 0;
  if (others.length > 0 || (rule !== undefined && !isOfEvent)) {
    throw new InvalidQuery(
      'A dimension "event:props" allows a filter by one goal only, which is an event without properties.',
    );
  }
  const event = rule !== undefined && 'event' in rule ? rule.event : undefined;
  // An empty value counts as none, so there is one more.
  const { rows, next } = await deps.statistics.propertyValues(own, event, property, MAX_ROWS + 1);
  if (next !== undefined && !needsFirstRows(query)) throw tooManyRows();
  const listed = rows.flatMap(({ value, ...totals }) =>
    value ? [{ dimensions: [value], totals, conversions: totals.events }] : [],
  );
  // A comparison would take a row that is missing in one of the periods for 0.
  if (goal === undefined || next !== undefined || query.comparison !== undefined) return listed;
  return [...listed, ...(await countNone(deps, own, goal, property, listed))];
}

/**
 * The events of a goal without the property. Their visitors are only known if no visit has an event with the property, too;
 * otherwise there is no row.
 */
async function countNone(
  { statistics }: CountDependencies,
  own: StatisticsQuery,
  goal: Definition<'goal'>,
  property: string,
  listed: readonly Counted[],
): Promise<Counted[]> {
  const [all] = await statistics.goals(own, [countedGoal(goal)]);
  const missing = (all?.conversions ?? 0) - listed.reduce((sum, { conversions = 0 }) => sum + conversions, 0);
  if (missing === 0) return [];
  const none: Filter = { kind: 'property', property, comparator: 'is', isNegated: false, values: [null] };
  const without = { ...own, filters: [...own.filters, ...allOf([none])] };
  const [found] = await statistics.goals(without, [countedGoal(goal)]);
  if (found?.conversions !== missing) return [];
  const { visitors, visits, conversions } = found;
  return [{ dimensions: [NONE], totals: { ...NOTHING, visitors, visits }, conversions }];
}

/** A day, or a value of the first dimension, and the values of the second in it. */
async function countNested(
  deps: CountDependencies,
  own: StatisticsQuery,
  query: PlausibleQuery,
  first: PlausibleGrouping,
  second: PlausibleGrouping,
): Promise<Counted[]> {
  const valuesIn = (part: StatisticsQuery) =>
    second.by === 'property'
      ? countProperties(deps, part, query, second.property)
      : second.by === 'value'
        ? countValues(deps, part, query, second.name)
        : [];
  const parts: { label: string; part: StatisticsQuery }[] = [];
  if (first.by === 'time') {
    for (const day of daysOf(own.from, own.to)) parts.push({ label: day, part: { ...own, from: day, to: day } });
  } else if (first.by === 'value') {
    const known = PLAUSIBLE_DIMENSIONS.get(first.name);
    if (known === undefined) return [];
    const { rows, next } = await deps.statistics.values(own, known.dimension, MAX_QUERIES);
    if (next !== undefined) throw tooManyParts();
    for (const { value } of rows) {
      const set: FilterSet = { match: 'all', filters: [valueFilter(known.dimension, value)] };
      parts.push({ label: toTheirs(known, value), part: { ...own, filters: [...own.filters, set] } });
    }
  }
  if (parts.length > MAX_QUERIES) throw tooManyParts();
  const counted: Counted[] = [];
  // One after the other: a query must not take all connections.
  for (const { label, part } of parts) {
    for (const row of await valuesIn(part)) {
      counted.push({ ...row, dimensions: [label, ...row.dimensions] });
    }
  }
  return counted;
}

/** A day, or an hour as the clock of the site shows it. */
export function labelOf(zone: TimeZone, start: string | Date): string {
  return typeof start === 'string' ? start : formatWithOffset(zone, start).slice(0, 19).replace('T', ' ');
}

/** As with Plausible, a week that begins before the period has the label of the period's first day; months have their own. */
export function intervalLabel({ from }: Period, interval: Interval, label: string): string {
  return interval === 'week' && label < from ? from : label;
}

/** The error for a list with too many rows, where returning only the first ones would be wrong. */
export function tooManyRows(): InvalidQuery {
  return new InvalidQuery(
    `The result has more than ${MAX_ROWS} rows. Ask for fewer days, filter, or ask for a page of the first ${MAX_ROWS}, ordered by "visitors" alone.`,
  );
}

function tooManyParts(): InvalidQuery {
  return new InvalidQuery(
    `With two dimensions, the first must have at most ${MAX_QUERIES} values, or days. Filter, or turn them around.`,
  );
}
