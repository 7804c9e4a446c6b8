import { join, raw, type Sql, sql } from '../connection/sql.ts';
import { visitColumn } from '../tables/tables.ts';

/** The rows of `visitor_day` that a read or a job is about, and the visits in them that it counts. */
export interface VisitScope {
  /** A condition on websites and days. */
  readonly rows: Sql;
  /** A condition on visits, and the columns that it reads. */
  readonly filter?: { readonly condition: Sql; readonly columns: readonly string[] };
}

/** A select of visits: their website, day and visitor, whether they are the visitor's only one that day, and these columns. */
export function selectVisits({ rows, filter }: VisitScope, columns: readonly string[]): Sql {
  const names = [...new Set([...columns, ...(filter?.columns ?? [])])];
  return sql`
    select website, day, visitor, length(visit.started) = 1 as is_only, ${join(names.map(raw))}
    from visitor_day final array join ${join(names.map((name) => raw(`${visitColumn(name)} as ${name}`)))}
    where ${rows} ${filter === undefined ? sql`` : sql`and ${filter.condition}`}`;
}

/** How many different visitors grouped visits have; a visitor is one of a day. The groups have one website. */
export const VISITORS: Sql = sql`countIf(is_only) + uniqExactIf((day, visitor), not is_only)`;
