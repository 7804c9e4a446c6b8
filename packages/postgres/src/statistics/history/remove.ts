import { isId } from '@hitherto/domain/base';
import { type Day, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { Change } from '@hitherto/domain/changes';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { deleteRecord, type ImportKey, requireEngine } from '../../imports/record-import.ts';
import { addUpMonths } from '../days/months.ts';
import { deleteNumbers } from '../days/number-rows.ts';
import { noteVisits } from '../jobs/rebuild.ts';
import { summariseDays } from '../jobs/summarise.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { HASHING, NESTED_LOOPS } from '../planner.ts';
import { VISIT_COLUMNS, visitsOfHits } from '../visits/visits.ts';
import { tableOfDays, type WebsiteDay } from '../website-days.ts';
import { deleteStagedHits } from './staging.ts';

interface FoundImport extends ImportKey {
  readonly timeZone: string | null;
  /** Whether it has sums of days, which are in a table of their own, and no hits. */
  readonly hasSums: boolean;
}

interface CoveredDay extends WebsiteDay {
  /** Whether raw hits of the day are kept. */
  readonly isKept: boolean;
  /** Of a day whose hits are not kept: whether its numbers have no other hits. */
  readonly isAlone: boolean;
}

/** See `StatisticsHistory`. */
export async function remove(
  database: Database,
  installation: TimeZone,
  importId: string,
  now: Date,
  change: Change,
): Promise<boolean> {
  if (!isId(importId)) return false;
  return database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    await requireEngine(transaction, 'inside');
    const { rows } = await transaction.query(
      once(sql<FoundImport>`
        select import.number, website_number as "websiteNumber", time_zone as "timeZone",
          counts -> 'sums' is not null as "hasSums"
        from import join website on website.number = website_number where import.id = ${importId} for update of import`),
    );
    const [found] = rows;
    if (found === undefined) return false;
    const days = found.hasSums ? [] : await coveredDays(transaction, found);
    await transaction.query(once(sql`select ${NESTED_LOOPS}`));
    const kept = days.filter(({ isKept }) => isKept);
    const empty = await deleteHits(transaction, found, kept, dayOf(zoneOf(found, installation), now), installation);
    const old = days.filter(({ isKept }) => !isKept);
    await deleteDays(transaction, [...empty, ...old.filter(({ isAlone }) => isAlone)]);
    await addUpMonths(transaction, days);
    await deleteStagedHits(transaction, found.number);
    await transaction.query(
      once(sql`
        delete from imported_sum where website_number = ${found.websiteNumber} and import_number = ${found.number}`),
    );
    const keepsNumbers = old.some(({ isAlone }) => !isAlone);
    return deleteRecord(transaction, found.number, keepsNumbers, change);
  });
}

async function coveredDays(
  transaction: Transaction,
  { number, websiteNumber }: FoundImport,
): Promise<readonly CoveredDay[]> {
  const { rows } = await transaction.query(
    once(sql<CoveredDay>`
      select ${websiteNumber}::text as "websiteNumber", day::text as day,
        day >= (select kept_from from hit_retention) as "isKept",
        hits = (
          select hits from website_day where website_number = ${websiteNumber} and website_day.day = import_day.day
        ) as "isAlone"
      from import_day where import_number = ${number} order by day`),
  );
  return rows;
}

/** Deletes the hits and visits of the import, and renews the days that have others. Returns the days that have none. */
async function deleteHits(
  transaction: Transaction,
  found: FoundImport,
  days: readonly CoveredDay[],
  today: Day,
  installation: TimeZone,
): Promise<readonly WebsiteDay[]> {
  if (days.length === 0) return [];
  const { number, websiteNumber } = found;
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  // The first and the last day prune other months.
  const dates = sql`${days.map(({ day }) => day)}::date[]`;
  const shared = await sharedVisitors(transaction, found, days);
  const gone = cte(
    'gone',
    sql`
      delete from hit
      where website_number = ${websiteNumber} and day = any(${dates}) and import_number = ${number}
        and day between ${first}::date and ${last}::date
      returning day, visitor`,
  );
  // The planner knows nothing of the deleted hits, and would compare each visit with all of them.
  await transaction.query(once(sql`select ${HASHING}`));
  await transaction.query(
    once(sql`
      delete from visit
      where website_number = ${websiteNumber} and day = any(${dates}) and day between ${first}::date and ${last}::date
        and (day, visitor) in (select day, visitor from ${gone})`),
  );
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await addVisitsOf(transaction, websiteNumber, shared);
  const renewed = days.map(({ day }) => ({ websiteNumber, day }));
  await noteVisits(transaction, renewed);
  const { rows } = await transaction.query(
    once(sql<{ day: Day; visits: number }>`
      select day::text as day, visits from website_day where website_number = ${websiteNumber} and day = any(${dates})`),
  );
  const left = rows.filter(({ visits }) => visits > 0);
  const zone = zoneOf(found, installation);
  await summariseDays(
    transaction,
    left.filter(({ day }) => day < today).map(({ day }) => ({ websiteNumber, day, zone })),
  );
  return rows.filter(({ visits }) => visits === 0).map(({ day }) => ({ websiteNumber, day }));
}

/** A visitor of a day. */
interface VisitorDay {
  readonly day: Day;
  readonly visitor: string;
}

/** The visitors of an import's hits that have other hits too: logs can have the same visitors as other logs and the collector. */
async function sharedVisitors(
  transaction: Transaction,
  { number, websiteNumber }: FoundImport,
  days: readonly WebsiteDay[],
): Promise<readonly VisitorDay[]> {
  const { rows: mixed } = await transaction.query(
    once(sql<{ day: Day }>`
      select chosen.day::text as day from ${tableOfDays(days)} chosen
      where exists (
        select from hit
        where hit.website_number = chosen.website_number and hit.day = chosen.day
          and hit.import_number is distinct from ${number}
      )`),
  );
  if (mixed.length === 0) return [];
  const isOfMixed = sql`website_number = ${websiteNumber} and day = any(${mixed.map(({ day }) => day)}::date[])`;
  await transaction.query(once(sql`select ${HASHING}`));
  const { rows } = await transaction.query(
    once(sql<VisitorDay>`
      select day::text as day, visitor::text as visitor from hit where ${isOfMixed} group by day, visitor
      having bool_or(import_number is not distinct from ${number}) and bool_or(import_number is distinct from ${number})`),
  );
  return rows;
}

/** Adds the visits of these visitors, who have none any more. They are up to date then, so their marks are needless. */
async function addVisitsOf(
  transaction: Transaction,
  websiteNumber: string,
  visitors: readonly VisitorDay[],
): Promise<void> {
  if (visitors.length === 0) return;
  const [dates, keys] = [visitors.map(({ day }) => day), visitors.map(({ visitor }) => visitor)];
  const chosen = cte('chosen', sql`select * from unnest(${dates}::date[], ${keys}::bigint[])`, {
    columns: sql`day, visitor`,
  });
  const marks = cte(
    'mark',
    sql`
      delete from changed_visitor using ${chosen} chosen
      where changed_visitor.website_number = ${websiteNumber} and changed_visitor.day = chosen.day
        and changed_visitor.visitor = chosen.visitor
      returning changed_visitor.day`,
  );
  const hits = sql`
    select hit.* from ${chosen} chosen join hit on hit.website_number = ${websiteNumber}
      and hit.day = chosen.day and hit.visitor = chosen.visitor`;
  await transaction.query(
    once(sql`
      insert into visit (${columnsOf(VISIT_COLUMNS)}) ${visitsOfHits(hits)}
      returning (select count(*) from ${marks})`),
  );
}

/** Deletes everything that is known of these days. */
async function deleteDays(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await deleteNumbers(transaction, days);
  for (const table of ['running_summary', 'visit_columns', 'website_day']) {
    const name = sql.table(table);
    await transaction.query(
      once(sql`
        delete from ${name} using ${tableOfDays(days)} chosen
        where ${name}.website_number = chosen.website_number and ${name}.day = chosen.day`),
    );
  }
}
