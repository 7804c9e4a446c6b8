import { join, raw, type Sql, sql } from '../connection/sql.ts';
import { visitColumn } from '../tables/tables.ts';
import { type CutVisits, cutVisits } from './cut-visits.ts';

/** A condition on visits, and the columns that it reads. */
export interface VisitFilter {
  readonly condition: Sql;
  readonly columns: readonly string[];
}

/** The rows of `visitor_day` that a read or a job is about, and the visits in them that it counts. */
export interface VisitScope {
  /** A condition on websites and days. */
  readonly rows: Sql;
  /** A condition on visits, and the columns that it reads. */
  readonly filter?: VisitFilter;
  /** A day whose hits count only up to a moment. */
  readonly cut?: CutVisits | undefined;
}

/** The table that visits are selected from; the condition on its rows still has to be checked. */
export function visitTable({ rows, cut }: VisitScope): Sql {
  return cut === undefined ? raw('visitor_day final') : cutVisits(rows, cut);
}

/** A select of visits: their website, day and visitor, whether they are the visitor's only one that day, and these columns. */
export function selectVisits(scope: VisitScope, columns: readonly string[]): Sql {
  const { rows, filter } = scope;
  const unfolded = [...new Set(columns)].map((name) => raw(`${visitColumn(name)} as ${name}`));
  const chosen = filter === undefined ? [] : [sql`${isChosenOf(filter)} as is_chosen`];
  return sql`
    select website, day, visitor, length(visit.started) = 1 as is_only, ${join([...new Set(columns)].map(raw))}
    from ${visitTable(scope)} array join ${join([...unfolded, ...chosen])}
    where ${rows} ${filter === undefined ? sql`` : sql`and is_chosen`}`;
}

/** For each visit of a row, whether the filter chooses it. Lists of hits take long to unfold, so the filter reads them before. */
export function isChosenOf({ condition, columns }: VisitFilter): Sql {
  const names = [...new Set(columns)];
  return sql`
    arrayMap((${join(names.map(raw))}) -> ${condition}, ${join(names.map((name) => raw(visitColumn(name))))})`;
}

/** How many different visitors grouped visits have; a visitor is one of a day. The groups have one website. */
export const VISITORS: Sql = sql`countIf(is_only) + uniqExactIf((day, visitor), not is_only)`;
