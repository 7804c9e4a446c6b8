import type { Day, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { columnsOf, once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { dayDifferences } from './day-differences.ts';
import { hoursAround } from './hours.ts';
import { KINDS } from './kinds.ts';
import { SUMMARY_COLUMNS } from './numbers.ts';
import { changedHits, changedVisits, MISMATCHES } from './visit-changes.ts';
import { VISIT_COLUMNS } from './visits.ts';
import { tryWorkLock } from './work-lock.ts';

/** How many marks of changed visitors one call processes, besides further marks of these visitors. */
const MAX_MARKS = 5_000;

/**
 * The condition on marks that they are of the first visitors. `is true` keeps it from becoming a join, which the planner
 * could choose badly, because it does not know how many marks there are.
 */
const IS_TAKEN = sql`
  ((website_number, day, visitor) in (
    select website_number, day, visitor from changed_visitor limit ${MAX_MARKS}
  )) is true`;

/**
 * Configures the planner so that it finds the visits of changed visitors by the index, visitor by visitor. It would read and
 * sort all visits of the month where it takes the marks for many: a third of the CPU of 1,000 marks among 25,000 visits.
 */
const NESTED_LOOPS = sql`set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

/**
 * Takes marks of changed visitors, recomputes these visitors' visits, and appends the differences to the running summaries
 * of their days, in one statement. A hit that is committed meanwhile has its own mark, which stays.
 */
export async function updateVisits(database: Database, zone: TimeZone): Promise<boolean> {
  if (!(await hasMarks(database))) return false;
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction))) return false;
    const days = await daysWithRunningSummaries(transaction, zone);
    await transaction.query(once(sql`select ${NESTED_LOOPS}`));
    const { appended, running } = days.length > 0 ? differences(days, zone) : NO_DIFFERENCES;
    const { rows } = await transaction.query(
      once(sql<{ taken: number }>`
        with taken as (
          delete from changed_visitor where ${IS_TAKEN}
          returning website_number, day, visitor, xmin as batch
        ),
        changed as (
          select website_number, day, visitor, array_agg(batch) as batches from taken
          where day >= (select kept_from from hit_retention)
          group by website_number, day, visitor
        ),
        ${changedHits()},
        old_visit as (
          delete from visit using changed
          where visit.website_number = changed.website_number and visit.day = changed.day
            and visit.visitor = changed.visitor
          returning visit.website_number, visit.day, visit.visitor, visit.pageviews, visit.events
        ),
        ${running},
        ${changedVisits(IS_OF_RUNNING)},
        new_visit as (
          insert into visit (${columnsOf(VISIT_COLUMNS)})
          select ${columnsOf(VISIT_COLUMNS)} from changed_visit where sign = 1
          returning website_number, day
        ),
        ${appended},
        changed_day as (
          select website_number, day, sum(visits) as visits, sum(appended) as appended from (
            select website_number, day, 0 as visits, 0 as appended from changed
            union all select website_number, day, -1, 0 from old_visit
            union all select website_number, day, 1, 0 from new_visit
            union all select website_number, day, 0, 1 from appended
          ) change
          group by website_number, day
        ),
        updated as (
          insert into website_day (website_number, day, summarised, visits, appended)
          select website_number, day, ${IS_OF_RUNNING}, visits, appended from changed_day
          on conflict (website_number, day) do update set visits = website_day.visits + excluded.visits,
            appended = website_day.appended + excluded.appended,
            summarised = website_day.summarised and excluded.summarised
        )
        select count(*)::integer as taken from taken`),
    );
    return (rows[0]?.taken ?? 0) >= MAX_MARKS;
  });
}

/**
 * Every instance runs this query every other second, mostly in vain. It costs a fraction of the statement that takes marks.
 */
async function hasMarks(database: Database): Promise<boolean> {
  const { rows } = await database.query(
    once(sql<{ found: boolean }>`select exists (select from changed_visitor) as found`),
  );
  return rows[0]?.found === true;
}

async function daysWithRunningSummaries(transaction: Transaction, zone: TimeZone): Promise<readonly Day[]> {
  const { rows } = await transaction.query(
    once(sql<{ day: Day }>`select distinct day::text as day from website_day where running_zone = ${zone.name}`),
  );
  return rows.map(({ day }) => day);
}

/** The condition that a row is of a day in `running`. `is true` as above. */
const IS_OF_RUNNING = sql`((website_number, day) in (select website_number, day from running)) is true`;

/** Tables of the days with a running summary, and of the rows that are appended to them. */
interface Differences {
  readonly running: RawBuilder<unknown>;
  readonly appended: RawBuilder<unknown>;
}

const NO_DIFFERENCES: Differences = {
  running: sql`running as (select website_number, day from changed where false)`,
  appended: sql`appended as (select website_number, day from running)`,
};

function differences(days: readonly Day[], zone: TimeZone): Differences {
  return {
    running: sql`
      running as (
        select website_number, day from website_day where running_zone = ${zone.name} and day = any(${days}::date[])
        except ${MISMATCHES}
      )`,
    appended: sql`
      appended as (
        insert into summary (website_number, ${SUMMARY_COLUMNS})
        with ${dayDifferences(KINDS, hoursAround(zone, days), IS_OF_RUNNING)}
        select website_number, ${SUMMARY_COLUMNS} from day_value
        returning website_number, day
      )`,
  };
}
