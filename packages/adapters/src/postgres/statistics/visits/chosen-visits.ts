import { addDays, type Day, type Dimension, type FilterSet, type GoalRules } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../../connection/statement.ts';
import { isChosen } from './filter-conditions.ts';
import { IS_OF_VISIT, visitColumns, visitsOfHits } from './visits.ts';

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
 * The visits of the scope that its filters choose. The visits of visitors who have hits that `visit` does not know yet are
 * made on the fly, so that every committed hit counts.
 *
 * @param dimensions of which the values are used; those of others may be missing
 */
export function chosenVisits(scope: Scope, dimensions: readonly Dimension[] = []): Cte {
  const filters = scope.filters.flatMap((set) => set.filters);
  const filteredBy = filters.flatMap((filter) => (filter.kind === 'dimension' ? filter.dimension : []));
  const isOfDays = inScope('hit', scope);
  const unseen = cte(
    'unseen_visitor',
    sql`select distinct day, visitor from changed_visitor where ${inScope('changed_visitor', scope)}`,
    { materialized: true },
  );
  // All visits of the days: those of other visitors as they are, those of visitors with unseen hits made of their hits.
  const current = cte(
    'current_visit',
    sql`
      select ${visitColumns([...dimensions, ...filteredBy], isOfDays)} from visit
      where ${inScope('visit', scope)}
        and not exists (select from ${unseen} unseen where unseen.day = visit.day and unseen.visitor = visit.visitor)
      union all
      ${visitsOfHits(sql`
        select hit.* from ${unseen} unseen cross join lateral (
          select * from hit
          where hit.day = unseen.day and hit.visitor = unseen.visitor and ${isOfDays}
          offset 0
        ) hit`)}`,
  );
  const isOfScope = isChosen(scope.filters, scope.goals, (condition) => hitsOfVisit(scope, condition));
  return cte('chosen_visit', sql`select * from ${current} visit where ${isOfScope}`);
}

function hitsOfVisit(scope: Scope, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select from hit where ${inScope('hit', scope)} and ${IS_OF_VISIT} and ${condition}`;
}
