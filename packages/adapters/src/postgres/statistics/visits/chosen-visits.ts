import { addDays, type Day, type FilterSet, type GoalRules } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../connection/statement.ts';
import { isChosen } from './filter-conditions.ts';
import { IS_OF_VISIT, VISIT_COLUMNS, visitsOfHits } from './visits.ts';

/** Days of a website. */
export interface WebsiteDays {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly days: readonly Day[];
}

/** The visits of these days that all sets of filters choose. */
export interface Scope extends WebsiteDays {
  readonly filters: readonly FilterSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
}

/** No filters: every visit is chosen. */
export const ALL_VISITS: Pick<Scope, 'filters' | 'goals'> = { filters: [], goals: new Map() };

/**
 * The condition that a row of this table is of these days. They are constants, so other months are pruned. If there is
 * no other day between them, they are a range, which takes two thirds of the time to compare with.
 */
export function inScope(table: string, { websiteNumber, days }: WebsiteDays): RawBuilder<unknown> {
  const [website, day] = [sql.ref(`${table}.website_number`), sql.ref(`${table}.day`)];
  const sorted = days.toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || addDays(first, days.length - 1) !== last) {
    return sql`${website} = ${websiteNumber} and ${day} = any(${days}::date[])`;
  }
  return sql`${website} = ${websiteNumber} and ${day} between ${first}::date and ${last}::date`;
}

/**
 * A column that configures the planner for {@link chosenVisits} until the transaction ends. The planner takes
 * fast-growing tables for nearly empty, and would choose nested loops over visits and hits that run for hours. The hits
 * of changed visitors are still found by the index, because a lateral join is always a nested loop.
 */
export const HASH_JOINS = sql`set_config('enable_nestloop', 'off', true)`;

/**
 * Tables for a `with` clause, the last of which, `chosen_visit`, holds the visits of the scope that its filters choose. The
 * visits of visitors who have hits that `visit` does not know yet are made on the fly, so that every committed hit counts.
 */
export function chosenVisits(scope: Scope): RawBuilder<unknown> {
  return sql`
    changed as materialized (
      select distinct day, visitor from changed_visitor where ${inScope('changed_visitor', scope)}
    ),
    -- All visits of the days: those of other visitors as they are, those of changed ones made of their hits.
    current_visit as (
      select ${columnsOf(VISIT_COLUMNS, 'visit')} from visit
      where ${inScope('visit', scope)}
        and not exists (select from changed where changed.day = visit.day and changed.visitor = visit.visitor)
      union all
      ${visitsOfHits(sql`
        select hit.* from changed cross join lateral (
          select * from hit
          where hit.day = changed.day and hit.visitor = changed.visitor and ${inScope('hit', scope)}
          offset 0
        ) hit`)}
    ),
    chosen_visit as (
      select * from current_visit visit
      where ${isChosen(scope.filters, scope.goals, (condition) => hitsOfVisit(scope, condition))}
    )`;
}

function hitsOfVisit(scope: Scope, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select from hit where ${inScope('hit', scope)} and ${IS_OF_VISIT} and ${condition}`;
}
