import {
  type DimensionFilter,
  type Filter,
  type FilterSet,
  foldAscii,
  type GoalRules,
  type HitRule,
  type PropertyFilter,
  partsOfPattern,
} from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { storableString } from '../../../strings.ts';
import { HAS_EVENT_NAMES, HAS_PAGES } from './visits.ts';

type Sql = RawBuilder<unknown>;

/** A select of one row for each hit of `visit` that meets a condition on `hit`. */
export type HitsOfVisit = (condition: Sql) => Sql;

/** The condition that all sets of filters choose the row `visit` (`compileFilters` in the domain). It is never null. */
export function isChosen(sets: readonly FilterSet[], goals: GoalRules, hits: HitsOfVisit): Sql {
  const conditions = sets.map(({ match, filters }) => {
    const chosen = filters.map((filter) => {
      const condition = sql`coalesce(${isTrueOf(filter, goals, hits)}, false)`;
      return filter.isNegated ? sql`not ${condition}` : condition;
    });
    return sql`(${sql.join(chosen, match === 'all' ? sql` and ` : sql` or `)})`;
  });
  return sql.join([sql`true`, ...conditions], sql` and `);
}

/** The condition that a filter is true of `visit`, without its negation. */
function isTrueOf(filter: Filter, goals: GoalRules, hits: HitsOfVisit): Sql {
  if (filter.kind === 'goal') {
    const rules = filter.goals.flatMap((id) => goals.get(id) ?? []);
    return anyOf(rules.map((rule) => hasHitOf(rule, hits)));
  }
  const isNoneWanted = filter.comparator === 'is' && filter.values.includes(null);
  const isSomeWanted = filter.values.some((value) => value !== null);
  return anyOf([
    ...(isNoneWanted ? [sql`not ${hasAnyValue(filter, hits)}`] : []),
    ...(isSomeWanted ? [hasValue(filter, hits)] : []),
  ]);
}

function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

/** The condition that `visit` has a value of the dimension or property. */
function hasAnyValue(filter: DimensionFilter | PropertyFilter, hits: HitsOfVisit): Sql {
  if (filter.kind === 'property') return hasProperty(filter.property, (value) => sql`${value} <> ''`, hits);
  if (filter.dimension === 'page') return sql`visit.pageviews > 0`;
  if (filter.dimension === 'event') return sql`visit.events > 0`;
  return sql`${sql.ref(`visit.${filter.dimension}`)} is not null`;
}

/** The condition that `visit` has a value that meets the comparison. */
function hasValue(filter: DimensionFilter | PropertyFilter, hits: HitsOfVisit): Sql {
  const matches = comparison(filter);
  if (filter.kind === 'property') return hasProperty(filter.property, matches, hits);
  if (filter.dimension === 'page') return hasPage(matches, hits);
  if (filter.dimension === 'event') return hasEvent(matches, hits);
  return matches(sql.ref(`visit.${filter.dimension}`));
}

type Matches = (value: Sql) => Sql;

/** The condition that a value meets any of the values of a filter. */
function comparison({ comparator, values }: DimensionFilter | PropertyFilter): Matches {
  const texts = values.flatMap((value) => (value === null ? [] : storableString(value)));
  switch (comparator) {
    case 'is':
      return (value) => sql`${value} = any(${texts}::text[])`;
    case 'contains': {
      const patterns = texts.map((text) => `%${escaped(foldAscii(text))}%`);
      // In the collation "C", `lower` folds A to Z alone.
      return (value) => sql`lower(${value} collate "C") like any(${patterns}::text[])`;
    }
    case 'like':
      return (value) => sql`${value} like any(${texts.map(likePattern)}::text[])`;
  }
}

/** A pattern of `like` in SQL's form. */
export function likePattern(pattern: string): string {
  return partsOfPattern(pattern).map(escaped).join('%');
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\%_]/g, '\\$&');
}

function hasPage(matches: Matches, hits: HitsOfVisit): Sql {
  return sql`(${matches(sql`visit.entry_page`)} or ${matches(sql`visit.exit_page`)}
    or exists (select from unnest(visit.other_pages) page where ${matches(sql`page`)})
    or not ${HAS_PAGES} and exists (${hits(sql`hit.name is null and ${matches(sql`hit.page`)}`)}))`;
}

function hasEvent(matches: Matches, hits: HitsOfVisit): Sql {
  return sql`(exists (select from unnest(visit.event_names) name where ${matches(sql`name`)})
    or not ${HAS_EVENT_NAMES} and exists (${hits(matches(sql`hit.name`))}))`;
}

function hasProperty(property: string, matches: Matches, hits: HitsOfVisit): Sql {
  const value = sql`(hit.props ->> ${storableString(property)}::text)`;
  return sql`(visit.events > 0 and exists (${hits(sql`hit.name is not null and ${value} <> '' and ${matches(value)}`)}))`;
}

/** The condition that a hit of `visit` fulfils a rule. */
function hasHitOf(rule: HitRule, hits: HitsOfVisit): Sql {
  if ('page' in rule) return hasPage((value) => sql`${value} like ${likePattern(storableString(rule.page))}`, hits);
  return sql`(visit.events > 0 and exists (${hits(isFulfilled(rule))}))`;
}

/** The condition that `hit` fulfils a rule (`compileRule` in the domain). */
export function isFulfilled(rule: HitRule): Sql {
  if ('page' in rule) return sql`hit.name is null and hit.page like ${likePattern(storableString(rule.page))}`;
  const props = Object.entries(rule.props).map(([name, value]) => [storableString(name), storableString(value)]);
  const hasProps =
    props.length === 0 ? sql`` : sql`and hit.props @> ${JSON.stringify(Object.fromEntries(props))}::jsonb`;
  return sql`hit.name = ${storableString(rule.event)} ${hasProps}`;
}
