import { storableString } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import type { DimensionFilter, Filter, FilterSet, GoalRules, HitRule, PropertyFilter } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, columnsOf, cte } from '../../connection/statement.ts';
import { anyOf, containsAny, matchesAny } from './matching.ts';
import { HAS_EVENT_NAMES, HAS_PAGES, IS_OF_VISIT, VISIT_COLUMNS, visitsOfHits } from './visits.ts';

/** Days of a website. */
export interface WebsiteDays {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly days: readonly Day[];
  /** Of these visitors alone, bigints as the driver writes them; of all by default. */
  readonly visitors?: readonly string[];
}

/** The visits of these days that all sets of filters choose. */
export interface Scope extends WebsiteDays {
  readonly filters: readonly FilterSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
  /** A day whose hits count only up to a moment. */
  readonly cut?: Cut | undefined;
}

/** The moment until which the hits of a day count. */
export interface Cut {
  readonly day: Day;
  readonly until: Date;
}

/**
 * The condition that a row of this table is of these days. They are constants, so other months are pruned. If there is
 * no other day between them, they are a range, which takes two thirds of the time to compare with.
 */
export function inScope(table: string, { websiteNumber, days, visitors }: WebsiteDays): RawBuilder<unknown> {
  const [website, day] = [sql.ref(`${table}.website_number`), sql.ref(`${table}.day`)];
  const isOfVisitors = visitors && sql` and ${sql.ref(`${table}.visitor`)} = any(${visitors}::bigint[])`;
  return sql`${website} = ${websiteNumber} and ${day} ${isOneOf(days)}${isOfVisitors ?? sql``}`;
}

function isOneOf(days: readonly Day[]): RawBuilder<unknown> {
  const sorted = days.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || addDays(first, days.length - 1) !== last) {
    return sql`= any(${days}::date[])`;
  }
  return first === last ? sql`= ${first}::date` : sql`between ${first}::date and ${last}::date`;
}

/**
 * The visits of the scope that its filters choose. The visits of visitors who have hits that `visit` does not know yet are
 * made on the fly, so that every committed hit counts. So are the visits of visitors who were on a visit when a day is cut.
 */
export function chosenVisits(scope: Scope): Cte {
  const isOfDays = inScope('hit', scope);
  const { cut } = scope;
  const cutVisitors =
    cut &&
    sql`
    union select day, visitor from visit
    where ${inScope('visit', { ...scope, days: [cut.day] })} and started < ${cut.until} and ended >= ${cut.until}`;
  const unseen = cte(
    'unseen_visitor',
    sql`
      select distinct day, visitor from changed_visitor where ${inScope('changed_visitor', scope)}
      ${cutVisitors ?? sql``}`,
    { materialized: true },
  );
  // All visits of the days: visits of other visitors as they are, visits of visitors with unseen hits made of their hits.
  const current = cte(
    'current_visit',
    sql`
      select ${columnsOf(VISIT_COLUMNS, 'visit')} from visit
      where ${inScope('visit', scope)} and ${isBefore(cut, 'visit', 'ended')}
        and not exists (select from ${unseen} unseen where unseen.day = visit.day and unseen.visitor = visit.visitor)
      union all
      ${visitsOfHits(sql`
        select hit.* from ${unseen} unseen cross join lateral (
          select * from hit
          where hit.day = unseen.day and hit.visitor = unseen.visitor and ${isOfDays} and ${isBefore(cut, 'hit', 'time')}
          offset 0
        ) hit`)}`,
  );
  const isOfScope = isChosen(scope.filters, scope.goals, (condition) => hitsOfVisit(scope, condition));
  return cte('chosen_visit', sql`select * from ${current} visit where ${isOfScope}`);
}

/** The condition that a row of this table is of another day, or that its time is before the moment. */
function isBefore(cut: Cut | undefined, table: string, time: string): RawBuilder<unknown> {
  if (cut === undefined) return sql`true`;
  return sql`(${sql.ref(`${table}.day`)} <> ${cut.day}::date or ${sql.ref(`${table}.${time}`)} < ${cut.until})`;
}

function hitsOfVisit(scope: Scope, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select from hit where ${inScope('hit', scope)} and ${IS_OF_VISIT} and ${condition}`;
}

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
  const strings = values.filter((value) => value !== null);
  switch (comparator) {
    case 'is':
      return (value) => sql`${value} = any(${strings.map(storableString)}::text[])`;
    case 'contains':
      return (value) => containsAny(value, strings);
    case 'like':
      return (value) => matchesAny(value, strings);
  }
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
  if ('page' in rule) return hasPage((value) => matchesAny(value, [rule.page]), hits);
  return sql`(visit.events > 0 and exists (${hits(isFulfilled(rule))}))`;
}

/** The condition that `hit` fulfils a rule (`compileRule` in the domain). */
export function isFulfilled(rule: HitRule): Sql {
  if ('page' in rule) return sql`hit.name is null and ${matchesAny(sql`hit.page`, [rule.page])}`;
  const props = Object.entries(rule.props).map(([name, value]) => [storableString(name), storableString(value)]);
  const hasProps =
    props.length === 0 ? sql`` : sql`and hit.props @> ${JSON.stringify(Object.fromEntries(props))}::jsonb`;
  return sql`hit.name = ${storableString(rule.event)} ${hasProps}`;
}
