import type { Day, SeriesPoint } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { chosenVisits, type Scope } from './chosen-visits.ts';
import { NUMBER_COLUMNS, NUMBERS, type NumbersRow, toTotals } from './numbers.ts';

/** Reads the days of the scope, of the visits that its filters choose. */
export async function readFilteredDays(transaction: Transaction, scope: Scope): Promise<SeriesPoint[]> {
  const { rows } = await transaction.query(
    once(sql<NumbersRow & { start: Day }>`
      with ${chosenVisits(scope)}, ${byVisitor('chosen_visit')}
      select day::text as start, ${NUMBERS} from (${DAYS}) by_day order by start`),
  );
  return rows.map((row) => ({ ...toTotals(row), start: row.start }));
}

/**
 * The table `by_visitor`: the numbers of each day and visitor. All visits that are their visitors' only ones of a day share
 * a row, whose visitor is null.
 *
 * @param table of visits
 */
export function byVisitor(table: string): RawBuilder<unknown> {
  return sql`
    by_visitor as materialized (
      select day, case when is_only is not true then visitor end as visitor, count(*)::double precision as visits,
        sum(pageviews)::double precision as pageviews, sum(events)::double precision as events,
        (count(*) filter (where pageviews = 1 and events = 0))::double precision as bounces,
        (count(*) filter (where pageviews > 0))::double precision as visits_with_pageviews,
        (extract(epoch from sum(ended - started)) * 1000)::double precision as duration
      from ${sql.table(table)} group by day, case when is_only is not true then visitor end
    )`;
}

/** The numbers of each day, from `by_visitor`. */
export const DAYS = sql`
  select day, sum(case when visitor is null then visits else 1 end) as visitors,
    ${sql.join(
      NUMBER_COLUMNS.filter((column) => column !== 'visitors').map(
        (column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`,
      ),
    )}
  from by_visitor group by day`;
