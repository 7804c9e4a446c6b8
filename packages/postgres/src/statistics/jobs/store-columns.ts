import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { makeColumns } from '../columns/make.ts';
import { HAS_ALL_HITS, hasDay, IS_KEPT, type WebsiteDay } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** Which days are stored by columns, and in how many rows. */
export interface ColumnLimits {
  /** The number of visits from which a day is. Fewer are read as fast from `visit`, and take less room there. */
  readonly visits: number;
  /** About how many visits a row has at most. */
  readonly visitsOfRow: number;
}

/** While a row is counted, for some 10 ms, the process does nothing else. */
export const COLUMN_LIMITS: ColumnLimits = { visits: 500, visitsOfRow: 40_000 };

/** How many days a call stores at most. */
const MAX_DAYS = 50;

interface DayToStore extends WebsiteDay {
  readonly visits: number;
  /** A bigint, as the driver writes it. */
  readonly hits: string;
  /** How many rows it has already, with all its hits. */
  readonly made: number;
}

/**
 * Stores the visits of days that are over and summarised by columns, the last days first: one row, or the few of several small
 * days. Returns whether more may be left.
 */
export async function storeColumns(database: Database, limits: ColumnLimits, takeLock: TakeLock): Promise<boolean> {
  if (!(await hasDay(database, toStore(limits)))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const days = await daysToStore(transaction, limits);
    let visits = 0;
    for (const day of days) {
      if (visits >= limits.visitsOfRow) break;
      visits += Math.min(day.visits, limits.visitsOfRow);
      await storeNextRow(transaction, day, limits);
    }
    return days.length > 0;
  });
}

/** The condition on `website_day` that a day has to be stored. */
function toStore({ visits }: ColumnLimits): RawBuilder<unknown> {
  return sql`hits = hits_in_numbers and hits <> hits_in_columns and visits >= ${visits} and ${IS_KEPT} and ${HAS_ALL_HITS}`;
}

async function daysToStore(transaction: Transaction, limits: ColumnLimits): Promise<DayToStore[]> {
  const { rows } = await transaction.query(
    once(sql<DayToStore>`
      select website_number as "websiteNumber", day::text as day, visits, hits, (
        select count(*)::integer from visit_columns made
        where made.website_number = website_day.website_number and made.day = website_day.day
          and made.hits_of_day = website_day.hits
      ) as made
      from website_day
      where ${toStore(limits)}
      order by website_day.day desc limit ${MAX_DAYS}`),
  );
  return rows;
}

async function storeNextRow(transaction: Transaction, day: DayToStore, { visitsOfRow }: ColumnLimits): Promise<void> {
  const parts = Math.ceil(day.visits / visitsOfRow);
  const isOfDay = sql`website_number = ${day.websiteNumber} and day = ${day.day}::date`;
  if (day.made === 0) await transaction.query(once(sql`delete from visit_columns where ${isOfDay}`));
  await makeColumns(transaction, day, day.hits, day.made, parts);
  if (day.made + 1 < parts) return;
  await transaction.query(once(sql`update website_day set hits_in_columns = hits where ${isOfDay}`));
}
