import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { type Cte, columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { dayDifferences } from '../days/day-differences.ts';
import { type DaysOfZone, groupByHours, type ZonedDay } from '../days/hours.ts';
import { NESTED_LOOPS } from '../planner.ts';
import { KINDS, runningZone, SUMMARY_COLUMNS } from '../summary-columns.ts';
import { changedHits, changedVisits, mismatches } from '../visits/visit-changes.ts';
import { VISIT_COLUMNS } from '../visits/visits.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** How many marks of changed visitors one call processes, not counting further marks of these visitors. */
const MAX_MARKS = 5_000;

/**
 * Takes marks of changed visitors, recomputes these visitors' visits, and appends the differences to the running summaries
 * of their days. Returns whether more are left.
 *
 * @param installation the zone of websites without their own
 */
export async function updateVisits(database: Database, installation: TimeZone, takeLock: TakeLock): Promise<boolean> {
  if ((await countMarks(database, 1)) === 0) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const running = await daysWithRunningSummaries(transaction, installation);
    // Finds the visits of changed visitors by the index, visitor by visitor. The planner would read and sort all visits of
    // the month where it takes the marks for many: a third of the CPU of 1,000 marks among 25,000 visits.
    await transaction.query(once(sql`select ${NESTED_LOOPS}`));
    let isMoreLeft = false;
    // A statement computes differences with the hours of one zone, and leaves the days of others alone.
    const groups = groupByHours(running);
    for (const group of groups.length === 0 ? [undefined] : groups) {
      const others = groups.filter((other) => other !== group).flatMap(({ days }) => days);
      const { rows } = await transaction.query(once(replaceVisits(group, others)));
      isMoreLeft ||= (rows[0]?.taken ?? 0) >= MAX_MARKS;
    }
    return isMoreLeft;
  });
}

/**
 * How many marks there are, counted up to `limit`. Every instance runs this query every two seconds and mostly finds none or few.
 * It costs a fraction of the statement that takes marks.
 */
export async function countMarks(database: Database, limit: number): Promise<number> {
  const { rows } = await database.query(
    once(sql<{ marks: number }>`
      select count(*)::integer as marks from (select from changed_visitor limit ${limit}) marks`),
  );
  return rows[0]?.marks ?? 0;
}

async function daysWithRunningSummaries(transaction: Transaction, installation: TimeZone): Promise<ZonedDay[]> {
  const { rows } = await transaction.query(
    once(sql<WebsiteDay & { timeZone: string | null }>`
      select website_number as "websiteNumber", day::text as day, time_zone as "timeZone"
      from website_day join website on website.number = website_number
      where running_zone = ${runningZone(installation)}`),
  );
  return rows.map((row) => ({ ...row, zone: zoneOf(row, installation) }));
}

/**
 * One statement does all of it, so it sees one snapshot: a hit that is committed after it began has its own mark, which
 * stays. It returns how many marks it took.
 *
 * `is true` keeps a condition from becoming a join, which the planner could choose badly, because it does not know how many
 * marks there are.
 *
 * @param withSummaries days with running summaries
 * @param others days whose marks are left
 */
function replaceVisits(
  withSummaries: DaysOfZone<WebsiteDay> | undefined,
  others: readonly WebsiteDay[],
): RawBuilder<{ taken: number }> {
  const isLeft = sql`(website_number, day) in (select * from ${tableOfDays(others, 'left_day')})`;
  const taken = cte(
    'taken',
    sql`
      delete from changed_visitor where ((website_number, day, visitor) in (
        select website_number, day, visitor from changed_visitor
        ${others.length > 0 ? sql`where not ${isLeft}` : sql``} limit ${MAX_MARKS}
      )) is true
      returning website_number, day, visitor, xmin as batch`,
  );
  // The visitors of the marks. Their visits are deleted and computed again, from the hits that were known and new ones.
  const changed = cte(
    'changed',
    sql`
      select website_number, day, visitor, array_agg(batch) as batches from ${taken}
      where day >= (select kept_from from hit_retention)
      group by website_number, day, visitor`,
  );
  const changedHit = changedHits(changed);
  const oldVisit = cte(
    'old_visit',
    sql`
      delete from visit using ${changed} changed
      where visit.website_number = changed.website_number and visit.day = changed.day
        and visit.visitor = changed.visitor
      returning visit.website_number, visit.day, visit.visitor, visit.pageviews, visit.events`,
  );
  // The days with a running summary, and the rows that are appended to it. Where old visits do not match the known
  // hits, the differences would be wrong, so the running summary ends.
  const running = cte(
    'running',
    withSummaries === undefined
      ? sql`select website_number, day from ${changed} where false`
      : sql`
          select website_number, day from ${tableOfDays(withSummaries.days, 'running_day')}
          except ${mismatches(oldVisit, changedHit)}`,
  );
  const isOfRunning = sql`((website_number, day) in (select website_number, day from ${running})) is true`;
  const changedVisit = changedVisits(changedHit, isOfRunning);
  const newVisit = cte(
    'new_visit',
    sql`
      insert into visit (${columnsOf(VISIT_COLUMNS)})
      select ${columnsOf(VISIT_COLUMNS)} from ${changedVisit} where sign = 1
      returning website_number, day, pageviews + events as hits`,
  );
  const appended = withSummaries ? appendDifferences(changedVisit, withSummaries, isOfRunning) : running;
  const changedDay = sql`
    select website_number, day, sum(visits) as visits, sum(hits) as hits, sum(appended) as appended from (
      select website_number, day, 0 as visits, 0 as hits, 0 as appended from ${changed}
      union all select website_number, day, -1, -pageviews - events, 0 from ${oldVisit}
      union all select website_number, day, 1, hits, 0 from ${newVisit}
      union all select website_number, day, 0, 0, 1 from ${appended}
    ) change
    group by website_number, day`;
  const updated = cte(
    'updated',
    sql`
      insert into website_day (website_number, day, visits, hits, appended)
      select website_number, day, visits, hits, appended from (${changedDay}) changed_day
      on conflict (website_number, day) do update set visits = website_day.visits + excluded.visits,
        hits = website_day.hits + excluded.hits, appended = website_day.appended + excluded.appended,
        running_zone = case when (website_day.website_number, website_day.day) in (
          select website_number, day from ${running}
        ) then website_day.running_zone end
      returning day`,
  );
  return sql`select (select count(*) from ${taken})::integer as taken, (select count(*) from ${updated}) as days`;
}

function appendDifferences(
  changedVisit: Cte,
  { zone, days }: DaysOfZone<WebsiteDay>,
  isOfRunning: RawBuilder<unknown>,
): Cte {
  const dates = [...new Set(days.map(({ day }) => day))];
  const difference = dayDifferences(changedVisit, KINDS, zone, dates, isOfRunning);
  return cte(
    'appended',
    sql`
      insert into running_summary (website_number, ${SUMMARY_COLUMNS})
      select website_number, ${SUMMARY_COLUMNS} from ${difference}
      returning website_number, day`,
  );
}
