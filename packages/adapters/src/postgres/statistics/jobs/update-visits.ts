import type { Day, TimeZone } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { dayDifferences } from '../days/day-differences.ts';
import { KINDS } from '../days/kinds.ts';
import { SUMMARY_COLUMNS } from '../days/numbers.ts';
import { changedHits, changedVisits, MISMATCHES } from '../visits/visit-changes.ts';
import { VISIT_COLUMNS } from '../visits/visits.ts';
import { tryWorkLock } from './work-lock.ts';

/** How many marks of changed visitors one call processes, besides further marks of these visitors. */
const MAX_MARKS = 5_000;

/**
 * Configures the planner so that it finds the visits of changed visitors by the index, visitor by visitor. It would read and
 * sort all visits of the month where it takes the marks for many: a third of the CPU of 1,000 marks among 25,000 visits.
 */
const NESTED_LOOPS = sql`set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

/**
 * Takes marks of changed visitors, recomputes these visitors' visits, and appends the differences to the running summaries
 * of their days.
 */
export async function updateVisits(database: Database, zone: TimeZone): Promise<boolean> {
  if (!(await hasMarks(database))) return false;
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction))) return false;
    const days = await daysWithRunningSummaries(transaction, zone);
    await transaction.query(once(sql`select ${NESTED_LOOPS}`));
    const { rows } = await transaction.query(once(replaceVisits(days, zone)));
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

/** The condition that a row is of a day in `running`. `is true` as below. */
const IS_OF_RUNNING = sql`((website_number, day) in (select website_number, day from running)) is true`;

/**
 * One statement does all of it, so it sees one snapshot: a hit that is committed meanwhile has its own mark, which stays. It
 * returns how many marks it took.
 *
 * `is true` keeps a condition from becoming a join, which the planner could choose badly, because it does not know how many
 * marks there are.
 *
 * @param days with running summaries
 */
function replaceVisits(days: readonly Day[], zone: TimeZone): RawBuilder<{ taken: number }> {
  return sql`
    with taken as (
      delete from changed_visitor where ((website_number, day, visitor) in (
        select website_number, day, visitor from changed_visitor limit ${MAX_MARKS}
      )) is true
      returning website_number, day, visitor, xmin as batch
    ),
    -- The visitors of the marks. Their visits are deleted and computed again, from the hits that were known and new ones.
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
    -- The days with a running summary, and the rows that are appended to it. Where old visits are not those of the known
    -- hits, the differences would be wrong, so the running summary ends.
    running as (${days.length > 0 ? runningDays(days, zone) : sql`select website_number, day from changed where false`}),
    ${changedVisits(IS_OF_RUNNING)},
    new_visit as (
      insert into visit (${columnsOf(VISIT_COLUMNS)})
      select ${columnsOf(VISIT_COLUMNS)} from changed_visit where sign = 1
      returning website_number, day
    ),
    appended as (${days.length > 0 ? appendDifferences(days, zone) : sql`select website_number, day from running`}),
    changed_day as (
      select website_number, day, sum(visits) as visits, sum(appended) as appended from (
        select website_number, day, 0 as visits, 0 as appended from changed
        union all select website_number, day, -1, 0 from old_visit
        union all select website_number, day, 1, 0 from new_visit
        union all select website_number, day, 0, 1 from appended
      ) change
      group by website_number, day
    ),
    -- A day without a running summary is no longer summarised.
    updated as (
      insert into website_day (website_number, day, summarised, visits, appended)
      select website_number, day, ${IS_OF_RUNNING}, visits, appended from changed_day
      on conflict (website_number, day) do update set visits = website_day.visits + excluded.visits,
        appended = website_day.appended + excluded.appended,
        summarised = website_day.summarised and excluded.summarised
    )
    select count(*)::integer as taken from taken`;
}

function runningDays(days: readonly Day[], zone: TimeZone): RawBuilder<unknown> {
  return sql`
    select website_number, day from website_day where running_zone = ${zone.name} and day = any(${days}::date[])
    except ${MISMATCHES}`;
}

function appendDifferences(days: readonly Day[], zone: TimeZone): RawBuilder<unknown> {
  return sql`
    insert into summary (website_number, ${SUMMARY_COLUMNS})
    with ${dayDifferences(KINDS, zone, days, IS_OF_RUNNING)}
    select website_number, ${SUMMARY_COLUMNS} from day_value
    returning website_number, day`;
}
