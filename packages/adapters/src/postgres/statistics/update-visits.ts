import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import { VISIT_COLUMNS, visitsOfHits } from './visits.ts';
import { tryWorkLock } from './work-lock.ts';

/** How many marks of changed visitors one call processes. */
const MAX_MARKS = 5_000;

const visitColumns = sql.join(VISIT_COLUMNS.map((column) => sql.ref(column)));

/**
 * Takes marks of changed visitors and recomputes these visitors' visits, in one statement. A hit that is committed meanwhile
 * has its own mark, which stays.
 */
export async function updateVisits(database: Database): Promise<boolean> {
  if (!(await hasMarks(database))) return false;
  return database.transaction(async (transaction) => {
    if (!(await tryWorkLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<{ taken: number }>`
        with taken as (
          delete from changed_visitor where ctid = any(array(select ctid from changed_visitor limit ${MAX_MARKS}))
          returning website_number, day, visitor
        ),
        changed as (
          select distinct website_number, day, visitor from taken
          where day >= (select kept_from from hit_retention)
        ),
        deleted as (
          delete from visit using changed
          where visit.website_number = changed.website_number and visit.day = changed.day
            and visit.visitor = changed.visitor
        ),
        made as (
          insert into visit (${visitColumns})
          select ${visitColumns} from (${visitsOfHits(sql`
            select hit.* from changed join hit using (website_number, day, visitor)`)}) visit
        ),
        opened as (
          insert into website_day (website_number, day, summarised)
          select distinct website_number, day, false from changed
          on conflict (website_number, day) do update set summarised = false where website_day.summarised
        )
        select count(*)::integer as taken from taken`),
    );
    return rows[0]?.taken === MAX_MARKS;
  });
}

/**
 * Every instance runs this query once a second, mostly in vain. It costs a fraction of the statement that takes marks.
 */
async function hasMarks(database: Database): Promise<boolean> {
  const { rows } = await database.query(
    once(sql<{ found: boolean }>`select exists (select from changed_visitor) as found`),
  );
  return rows[0]?.found === true;
}
