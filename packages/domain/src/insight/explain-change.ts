import type { CountedGoal } from '../engine/goal-reads.ts';
import type { StatisticsQuery, StatisticsReads } from '../engine/statistics-repository.ts';
import {
  CHANGED_NUMBERS,
  type ChangedNumber,
  joinNumbers,
  type ValueChanges,
  valueChanges,
} from '../engine/value-changes.ts';
import { DIMENSION_TABLE, DIMENSIONS, type Dimension, OTHER_VALUES } from '../hits/dimensions.ts';
import { ratio } from '../reading/show-statistics.ts';
import { allOf, valueFilter } from '../visits/filters.ts';

/** The numbers whose change is explained. Conversions are those of a goal. */
export const CHANGE_METRICS = [...CHANGED_NUMBERS, 'conversions'] as const;
export type ChangeMetric = (typeof CHANGE_METRICS)[number];

/** What is counted. */
export type Counted = ChangedNumber | CountedGoal;

/** A number in the compared days, in the days of the query, and the difference. */
export interface Difference {
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

export interface ChangedValue extends Difference {
  /** `null` stands for none. */
  readonly value: string | null;
  /** Of the whole change, 4 decimals; `null` without a change, and of values that are not added up. */
  readonly shareOfChange: number | null;
}

/** What the values of a dimension have to do with a change. */
export interface ChangePart {
  readonly dimension: Dimension;
  /** The values with the largest change, at most {@link MAX_CHANGED_VALUES}. */
  readonly values: readonly ChangedValue[];
  /**
   * The whole without these values, so that all of them add up to it; `null` where a visit has several values, so that they
   * do not. A visitor who has two on one day is in both, and the rest makes up for it.
   */
  readonly rest: Difference | null;
}

/** Two values that visits have in common. */
export interface ChangedPath extends Omit<ChangedValue, 'value'> {
  readonly path: readonly [ValueOf, ValueOf];
}

interface ValueOf {
  readonly dimension: Dimension;
  readonly value: string | null;
}

/** A change of a number, in parts that add up to it (api.md, "GET …/statistics/change"). */
export interface ExplainedChange extends Difference {
  /** The best explanation first: the dimension that needs the fewest values to make up 80 % of the change. */
  readonly parts: readonly ChangePart[];
  /** The most important value of the first part, by the values of another dimension. */
  readonly along: readonly ChangedPath[];
}

export const MAX_CHANGED_VALUES = 10;
const EXPLAINED_SHARE = 0.8;

interface ExplainDependencies {
  readonly statistics: Pick<StatisticsReads, 'totals' | 'changes' | 'goals' | 'conversions'>;
}

/**
 * Explains the change from the days of one query to those of another, which have the same filters. Only days whose hits are
 * stored count: sums cannot be divided in every way.
 */
export async function explainChange(
  deps: ExplainDependencies,
  counted: Counted,
  query: StatisticsQuery,
  compared: StatisticsQuery,
): Promise<ExplainedChange> {
  const queries = [withHits(compared), withHits(query)] as const;
  const [before, after] = await inBoth(queries, (each) => readTotal(deps, counted, each));
  const total = difference(before, after);
  const changes = await readChanges(deps, counted, queries, DIMENSIONS);
  const parts = Array.from(changes, ([dimension, values]) =>
    partOf(dimension, isAddedUp(dimension, counted), total, values),
  );
  const ranked = rank(total, parts);
  return {
    ...total,
    parts: ranked.map(({ part }) => part),
    along: await followPath(deps, counted, queries, total, ranked),
  };
}

/** The query of the compared days, and the query itself. */
type BothQueries = readonly [StatisticsQuery, StatisticsQuery];

function inBoth<T>(queries: BothQueries, read: (query: StatisticsQuery) => Promise<T>): Promise<[T, T]> {
  const [before, after] = queries;
  return Promise.all([read(before), read(after)]);
}

function withHits(query: StatisticsQuery): StatisticsQuery {
  return { ...query, onlyHits: true };
}

async function readTotal(deps: ExplainDependencies, counted: Counted, query: StatisticsQuery): Promise<number> {
  if (typeof counted === 'string') return (await deps.statistics.totals(query))[counted];
  const [numbers] = await deps.statistics.goals(query, [counted]);
  return numbers?.conversions ?? 0;
}

async function readChanges(
  { statistics }: ExplainDependencies,
  counted: Counted,
  queries: BothQueries,
  dimensions: readonly Dimension[],
): Promise<ReadonlyMap<Dimension, ValueChanges>> {
  if (typeof counted === 'string') {
    const [compared, query] = queries;
    return statistics.changes(query, compared, counted, dimensions, MAX_CHANGED_VALUES);
  }
  const ofGoal = dimensions.map(async (dimension) => {
    const [before, after] = await inBoth(queries, async (query) => {
      const rows = await statistics.conversions(query, counted, dimension);
      return new Map(rows.map(({ key, conversions }) => [key === null ? null : String(key), conversions]));
    });
    return [dimension, valueChanges(joinNumbers(before, after), MAX_CHANGED_VALUES)] as const;
  });
  return new Map(await Promise.all(ofGoal));
}

/** Whether each counted thing has one value, so that values add up to the whole. */
function isAddedUp(dimension: Dimension, counted: Counted): boolean {
  const { from } = DIMENSION_TABLE[dimension];
  return (from !== 'pageviews' && from !== 'events') || from === counted;
}

function difference(before: number, after: number): Difference {
  return { before, after, change: after - before };
}

/** A part, and what its rank depends on. */
interface RankedPart {
  readonly part: ChangePart;
  /** How many values make up most of the change; infinite where they never do. */
  readonly needed: number;
  /** How much these values have before and after: less is more telling. */
  readonly size: number;
}

function partOf(dimension: Dimension, isWhole: boolean, total: Difference, changes: ValueChanges): RankedPart {
  const values = changes.largest.map(({ value, before, after }) => ({
    value,
    ...difference(before, after),
    shareOfChange: isWhole ? ratio(after - before, total.change, 4) : null,
  }));
  const sum = (of: 'before' | 'after') => values.reduce((whole, each) => whole + each[of], 0);
  const rest = isWhole ? difference(total.before - sum('before'), total.after - sum('after')) : null;
  return { part: { dimension, values, rest }, ...(isWhole ? explaining(total, changes) : NOTHING) };
}

const NOTHING = { needed: Number.POSITIVE_INFINITY, size: 0 };

/** The fewest values that make up most of the change. A value that everything has explains nothing, nor does none. */
function explaining({ change }: Difference, { total, before, after }: ValueChanges) {
  if (total < 2) return NOTHING;
  const direction = Math.sign(change);
  const values = Array.from(after, (number, place) => {
    const earlier = before[place] ?? 0;
    return { explains: (number - earlier) * direction, size: number + earlier };
  });
  const helping = values.filter(({ explains }) => explains > 0);
  let [needed, explained, size] = [0, 0, 0];
  for (const each of helping.sort((a, b) => b.explains - a.explains || a.size - b.size)) {
    if (explained >= EXPLAINED_SHARE * Math.abs(change)) break;
    needed += 1;
    explained += each.explains;
    size += each.size;
  }
  return explained >= EXPLAINED_SHARE * Math.abs(change) ? { needed, size } : NOTHING;
}

/** Parts that add up come first; otherwise dimensions keep their order. */
function rank({ change }: Difference, parts: readonly RankedPart[]): RankedPart[] {
  const isLast = ({ part }: RankedPart) => Number(part.rest === null);
  return [...parts].sort((a, b) => isLast(a) - isLast(b) || (change === 0 ? 0 : compareRanks(a, b)));
}

function compareRanks(a: RankedPart, b: RankedPart): number {
  return a.needed === b.needed ? a.size - b.size : a.needed - b.needed;
}

/** The value that changed most in the direction of the whole; none only where there is no other. */
export function mostImportant(
  values: readonly ChangedValue[],
  { change }: Pick<Difference, 'change'>,
): ChangedValue | undefined {
  const same = values.filter((each) => each.change * change > 0);
  return same.find(({ value }) => value !== null) ?? same[0];
}

/** The largest value of the best part, by the pages on which its visits began; of pages, by their sources. */
async function followPath(
  deps: ExplainDependencies,
  counted: Counted,
  [compared, query]: BothQueries,
  total: Difference,
  [best]: readonly RankedPart[],
): Promise<ChangedPath[]> {
  if (best === undefined) return [];
  const { dimension, values } = best.part;
  // A filter by "(other)" chooses nothing.
  const first = mostImportant(
    values.filter(({ value }) => value !== OTHER_VALUES),
    total,
  );
  if (first === undefined || DIMENSION_TABLE[dimension].from === 'pageviews') return [];
  const other: Dimension = dimension === 'entry_page' ? 'source' : 'entry_page';
  const filters = allOf([valueFilter(dimension, first.value)]);
  const ofFirst = (each: StatisticsQuery) => ({ ...each, filters: [...each.filters, ...filters] });
  const changes = await readChanges(deps, counted, [ofFirst(compared), ofFirst(query)], [other]);
  const { largest = [] } = changes.get(other) ?? {};
  return largest.map(({ value, before, after }) => ({
    path: [
      { dimension, value: first.value },
      { dimension: other, value },
    ],
    ...difference(before, after),
    shareOfChange: ratio(after - before, total.change, 4),
  }));
}
