import { type Day, daysOf, startOfWeek } from '@hitherto/domain/calendar';
import { DIMENSIONS } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import { cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { codeOf, isOfKinds, KINDS } from '../summary-columns.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import type { DaySources } from './day-sources.ts';

const DAYS_PER_WEEK = 7;

/** The sum of the summaries of some days of a week. */
interface WeekSum {
  /** A Monday. */
  readonly week: Day;
  readonly days: readonly Day[];
}

/**
 * Sums up the summaries of the weeks of these days again. A sum is of those days of a week that are summarised for good, and
 * these are marked. The row of the kind `total` has the number of days in `visitors`: if fewer days are marked, one of them
 * has changed since, and the sum does not count. The caller holds the lock under which summaries change, and has chosen
 * `NESTED_LOOPS`.
 */
export async function summariseWeeks(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  const byKey = days.map(({ websiteNumber, day }) => ({ websiteNumber, day: startOfWeek(day) }));
  const mondays = [...new Map(byKey.map((monday) => [`${monday.websiteNumber} ${monday.day}`, monday])).values()];
  const weeks = cte('chosen_week', sql`select website_number, day from ${tableOfDays(mondays)}`, {
    columns: sql`website_number, week`,
  });
  await transaction.query(
    once(sql`
      delete from week_summary using ${weeks} chosen
      where week_summary.website_number = chosen.website_number and week_summary.week = chosen.week
        and ${isOfKinds(KINDS)}`),
  );
  await transaction.query(
    once(sql`
      update website_day set in_week_summary = not in_week_summary from ${weeks} chosen
      where website_day.website_number = chosen.website_number
        and website_day.day between chosen.week and chosen.week + ${DAYS_PER_WEEK - 1}::integer
        and in_week_summary <> (summarised and running_zone is null)`),
  );
  const summed = cte(
    'summed_day',
    sql`
      select chosen.website_number, chosen.week, website_day.day from ${weeks} chosen join website_day
        on website_day.website_number = chosen.website_number
        and website_day.day between chosen.week and chosen.week + ${DAYS_PER_WEEK - 1}::integer
      where website_day.in_week_summary`,
  );
  await transaction.query(
    once(sql`
      insert into week_summary (website_number, week, dimension, value, visitors, events)
      select summary.website_number, summed.week, dimension, value, sum(visitors), sum(events)
      from ${summed} summed join summary
        on summary.website_number = summed.website_number and summary.day = summed.day and ${isOfKinds(DIMENSIONS)}
      group by summary.website_number, summed.week, dimension, value
      union all
      select website_number, week, ${codeOf('total')}, null, count(*), 0 from ${summed}
      group by website_number, week
      order by website_number, dimension, week`),
  );
}

/** The summaries that the closed days of a period are read from: the sums of `weeks`, and `days`, less `excess`. */
export interface SummariesToRead {
  /** Mondays. */
  readonly weeks: readonly Day[];
  /** Days that are in none of these sums. */
  readonly days: readonly Day[];
  /** Days that are in these sums but not in the period. */
  readonly excess: readonly Day[];
}

/**
 * Chooses the fewest summaries that the closed days of a period can be read from: of a week that is only partly in the period,
 * either its days are read, or its sum and its other days.
 */
export async function summariesToRead(
  transaction: Transaction,
  { websiteNumber, fromVisits, summariesFrom, sumsTo }: DaySources,
): Promise<SummariesToRead> {
  const isOpen = new Set(fromVisits.days);
  const closed = new Set(daysOf(summariesFrom, sumsTo).filter((day) => !isOpen.has(day)));
  const sums = (await findSums(transaction, websiteNumber, closed)).filter(({ days }) => {
    const excess = days.filter((day) => !closed.has(day)).length;
    return 1 + excess < days.length - excess;
  });
  const summed = new Set(sums.flatMap(({ days }) => days));
  return {
    weeks: sums.map(({ week }) => week),
    days: [...closed].filter((day) => !summed.has(day)),
    excess: [...summed].filter((day) => !closed.has(day)),
  };
}

/** The sums of the weeks of these days that count. */
async function findSums(transaction: Transaction, websiteNumber: string, days: Iterable<Day>): Promise<WeekSum[]> {
  const weeks = [...new Set([...days].map(startOfWeek))];
  if (weeks.length === 0) return [];
  const { rows } = await transaction.query(
    once(sql<WeekSum>`
      select week.week::text, array_agg(day::text) as days
      from unnest(${weeks}::date[]) week (week)
        join website_day on day between week.week and week.week + ${DAYS_PER_WEEK - 1}::integer
        join week_summary sum on sum.website_number = website_day.website_number and sum.week = week.week
          and sum.dimension = ${codeOf('total')}
      where website_day.website_number = ${websiteNumber} and in_week_summary
      group by week.week, sum.visitors having count(*) = sum.visitors`),
  );
  return rows;
}
