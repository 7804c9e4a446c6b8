import { storableString } from '@hitherto/domain/base';
import {
  type DimensionFilter,
  type Filter,
  foldAscii,
  type GoalRules,
  type HiddenFilter,
  type HidingRule,
  type HitRule,
  isOfMeasures,
  MEASURE_CODES,
  type PropertyFilter,
  storableFilters,
  storableRule,
  type VisitSet,
} from '@hitherto/domain/visits';
import { allOf, anyOf, dayLiteral, join, raw, type Sql, sql } from '../connection/sql.ts';
import { likePattern } from './like-pattern.ts';
import { STORED, type VisitFilter } from './select-visits.ts';

/** The condition that a visit is chosen by all sets of filters (`compileFilters` in the domain). */
function isChosen(sets: readonly VisitSet[], goals: GoalRules): Sql {
  return allOf(sets.map((set) => isChosenBy(storableFilters(set), goals)));
}

/** @param nameOf of a column of visits */
function isChosenBy({ match, filters }: VisitSet, goals: GoalRules, nameOf = (name: string) => name): Sql {
  const each = filters.map((filter) => {
    const matches = isMatched(filter, goals, nameOf);
    return filter.isNegated ? sql`not ${matches}` : matches;
  });
  return match === 'all' ? allOf(each) : anyOf(each);
}

/** The filter by sets. */
export function filterOfSets(sets: readonly VisitSet[], goals: GoalRules): VisitFilter {
  const columns = columnsOfFilters(sets);
  // A lambda needs a list.
  return { condition: isChosen(sets, goals), columns: columns.length > 0 ? columns : ['started'] };
}

/** The condition that a visit of a row's day is hidden by the rule, whatever the website. */
function isHiddenBy(rule: HidingRule): Sql {
  return allOf([isOfRule(rule), isChosenBy(storableFilters(rule), new Map(), (name) => `${STORED}${name}`)]);
}

/** The condition that the rule is about a row's day. */
export function isOfRule({ from, to }: Pick<HidingRule, 'from' | 'to'>): Sql {
  return allOf([
    ...(from === null ? [] : [sql`day >= ${dayLiteral(from)}`]),
    ...(to === null ? [] : [sql`day <= ${dayLiteral(to)}`]),
  ]);
}

/** The columns of visits that the filters read. */
function columnsOfFilters(sets: readonly VisitSet[]): string[] {
  return sets.flatMap(({ filters }) =>
    filters.flatMap((filter) => {
      if (filter.kind === 'goal') return HIT_ARRAYS;
      if (filter.kind === 'property') return ['names', 'props'];
      if (filter.kind === 'hidden') return columnsOfFilters(filter.rules).map((name) => `${STORED}${name}`);
      if (filter.kind === 'bounce') return ['pageviews', 'events'];
      if (filter.dimension === 'page') return ['pages'];
      return [filter.dimension === 'event' ? 'names' : filter.dimension];
    }),
  );
}

/** The columns of visits that {@link HITS} reads: lists with an element for each hit. */
export const HIT_ARRAYS = ['names', 'pages', 'props', 'measures'];

/** The lists of what a lambda with `n`, `p`, `m` and `c` is called with. Visits of an earlier version have no measures. */
export const HITS: Sql = raw('names, pages, props, arrayResize(measures, length(names))');

/** The condition that a hit of a visit fulfils a rule (`compileRule` in the domain). The hit is the `n`, `p`, `m` and `c` of a lambda. */
export function isFulfilled(rule: HitRule): Sql {
  const stored = storableRule(rule);
  if ('page' in stored) {
    const isOfPage = sql`(n = '' and p like ${likePattern(stored.page)})`;
    if (!isOfMeasures(stored)) return isOfPage;
    const { seconds = 0, scroll = 0 } = stored;
    return sql`(${isOfPage} and c > 0 and intDiv(c - 1, ${MEASURE_CODES}) >= ${seconds} and modulo(c - 1, ${MEASURE_CODES}) >= ${scroll})`;
  }
  const props = Object.entries(stored.props).map(
    ([name, value]) => sql`mapContains(m, ${name}) and m[${name}] = ${value}`,
  );
  return allOf([sql`n = ${stored.event}`, ...props]);
}

/** The condition that any hit of a visit fulfils a condition on `n`, `p`, `m` and `c`. */
export function hasHit(condition: Sql): Sql {
  return sql`arrayExists((n, p, m, c) -> ${condition}, ${HITS})`;
}

function isMatched(filter: Filter | HiddenFilter, goals: GoalRules, nameOf: (name: string) => string): Sql {
  if (filter.kind === 'goal') {
    const rules = filter.goals.flatMap((id) => goals.get(id) ?? []);
    return rules.length === 0 ? sql`false` : hasHit(anyOf(rules.map(isFulfilled)));
  }
  if (filter.kind === 'hidden') return anyOf(filter.rules.map(isHiddenBy));
  if (filter.kind === 'bounce') {
    const [pageviews, events] = [raw(nameOf('pageviews')), raw(nameOf('events'))];
    return sql`if(${pageviews} = 1 and ${events} = 0, '1', '0') in (${join(filter.values)})`;
  }
  const matches = comparison(filter);
  // No value is like none: where a visit has none, only `is` can match.
  const isNoneWanted = filter.comparator === 'is' && filter.values.includes(null);
  const orNone = (has: (matches: Matches) => Sql) =>
    isNoneWanted ? sql`(${has(matches)} or not ${has(isSome)})` : has(matches);
  if (filter.kind === 'property') {
    const value = sql`m[${storableString(filter.property)}]`;
    return orNone(
      (meets) =>
        sql`arrayExists((n, m) -> n != '' and ${meets(value)}, ${raw(nameOf('names'))}, ${raw(nameOf('props'))})`,
    );
  }
  switch (filter.dimension) {
    case 'page':
    case 'event': {
      const list = raw(nameOf(filter.dimension === 'page' ? 'pages' : 'names'));
      return orNone((meets) => sql`arrayExists(x -> ${meets(raw('x'))}, ${list})`);
    }
    default: {
      const column = raw(nameOf(filter.dimension));
      return orNone((meets) => meets(column));
    }
  }
}

type Matches = (value: Sql) => Sql;

const isSome: Matches = (value) => sql`${value} != ''`;

/** The condition that a value meets any of the values of a filter. An empty string stands for none, and meets nothing. */
function comparison({ comparator, values }: DimensionFilter | PropertyFilter): Matches {
  const texts = values.filter((value) => value !== null);
  if (texts.length === 0) return () => sql`false`;
  const matches: Matches = (value) => {
    switch (comparator) {
      case 'is':
        return sql`${value} in (${join(texts)})`;
      case 'contains':
        // `lower` folds A to Z alone.
        return anyOf(texts.map((text) => sql`position(lower(${value}), ${foldAscii(text)}) > 0`));
      case 'like':
        return anyOf(texts.map((text) => sql`${value} like ${likePattern(text)}`));
    }
  };
  // Most comparisons exclude it, and looking twice at each of many strings takes long.
  const meetsEmpty = texts.some((text) => (comparator === 'like' ? /^\**$/.test(text) : text === ''));
  return meetsEmpty ? (value) => sql`(${isSome(value)} and ${matches(value)})` : matches;
}
