import { storableString } from '@hitherto/domain/base';
import {
  type DimensionFilter,
  type Filter,
  type FilterSet,
  foldAscii,
  type GoalRules,
  type HitRule,
  type PropertyFilter,
  partsOfPattern,
  storableFilters,
  storableRule,
} from '@hitherto/domain/visits';
import { allOf, anyOf, join, raw, type Sql, sql } from '../connection/sql.ts';

/** The condition that a visit is chosen by all sets of filters (`compileFilters` in the domain). */
export function isChosen(sets: readonly FilterSet[], goals: GoalRules): Sql {
  const conditions = sets.map((set) => {
    const { match, filters } = storableFilters(set);
    const each = filters.map((filter) => {
      const matches = isMatched(filter, goals);
      return filter.isNegated ? sql`not ${matches}` : matches;
    });
    return match === 'all' ? allOf(each) : anyOf(each);
  });
  return allOf(conditions);
}

/** The columns of visits that the filters read. */
export function columnsOfFilters(sets: readonly FilterSet[]): string[] {
  return sets.flatMap(({ filters }) =>
    filters.flatMap((filter) => {
      if (filter.kind === 'goal') return HIT_ARRAYS;
      if (filter.kind === 'property') return ['names', 'props'];
      if (filter.kind === 'bounce') return ['pageviews', 'events'];
      if (filter.dimension === 'page') return ['pages'];
      return [filter.dimension === 'event' ? 'names' : filter.dimension];
    }),
  );
}

/** The columns of visits that {@link isFulfilled} reads: lists with an element for each hit. */
export const HIT_ARRAYS = ['names', 'pages', 'props'];

/** The condition that a hit of a visit fulfils a rule (`compileRule` in the domain). The hit is the `n`, `p` and `m` of a lambda. */
export function isFulfilled(rule: HitRule): Sql {
  const stored = storableRule(rule);
  if ('page' in stored) return sql`(n = '' and p like ${likePattern(stored.page)})`;
  const props = Object.entries(stored.props).map(
    ([name, value]) => sql`mapContains(m, ${name}) and m[${name}] = ${value}`,
  );
  return allOf([sql`n = ${stored.event}`, ...props]);
}

/** The condition that any hit of a visit fulfils a condition on `n`, `p` and `m`. */
export function hasHit(condition: Sql): Sql {
  return sql`arrayExists((n, p, m) -> ${condition}, names, pages, props)`;
}

function isMatched(filter: Filter, goals: GoalRules): Sql {
  if (filter.kind === 'goal') {
    const rules = filter.goals.flatMap((id) => goals.get(id) ?? []);
    return rules.length === 0 ? sql`false` : hasHit(anyOf(rules.map(isFulfilled)));
  }
  if (filter.kind === 'bounce') {
    return sql`if(pageviews = 1 and events = 0, '1', '0') in (${join(filter.values)})`;
  }
  const matches = comparison(filter);
  // No value is like none: where a visit has none, only `is` can match.
  const isNoneWanted = filter.comparator === 'is' && filter.values.includes(null);
  const orNone = (has: (matches: Matches) => Sql) =>
    isNoneWanted ? sql`(${has(matches)} or not ${has(isSome)})` : has(matches);
  if (filter.kind === 'property') {
    const value = sql`m[${storableString(filter.property)}]`;
    return orNone((meets) => sql`arrayExists((n, m) -> n != '' and ${meets(value)}, names, props)`);
  }
  switch (filter.dimension) {
    case 'page':
    case 'event': {
      const list = raw(filter.dimension === 'page' ? 'pages' : 'names');
      return orNone((meets) => sql`arrayExists(x -> ${meets(raw('x'))}, ${list})`);
    }
    default: {
      const column = raw(filter.dimension);
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

function likePattern(pattern: string): string {
  const escaped = (literal: string) => literal.replaceAll(/[\\%_]/g, '\\$&');
  return partsOfPattern(pattern).map(escaped).join('%');
}
