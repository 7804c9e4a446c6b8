import type { Day } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Cte, cte, once } from '../connection/statement.ts';

/** A day of a website. */
export interface WebsiteDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly day: Day;
}

/** The number of hits of a day that count. */
export interface DayWithHits extends WebsiteDay {
  readonly hits: number;
}

/** Splits days, in their order, into lists of days that have at most so many hits together; a day with more is alone. */
export function* splitDays<Noted extends Pick<DayWithHits, 'hits'>>(
  days: readonly Noted[],
  mostHits: number,
  mostDays = Number.POSITIVE_INFINITY,
): Generator<readonly Noted[]> {
  let list: Noted[] = [];
  let hits = 0;
  for (const day of days) {
    if (list.length > 0 && (hits + day.hits > mostHits || list.length === mostDays)) {
      yield list;
      [list, hits] = [[], 0];
    }
    list.push(day);
    hits += day.hits;
  }
  if (list.length > 0) yield list;
}

/**
 * Whether a row of `website_day` fulfils the condition. Every instance asks this regularly and mostly finds nothing: one
 * statement, where a transaction under the lock takes five.
 */
export async function hasDay(database: Database, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await database.query(
    once(sql<{ found: boolean }>`select exists (select from website_day where ${condition}) as found`),
  );
  return rows[0]?.found === true;
}

/** The condition that all hits of a day have been added up. */
export const HAS_ALL_HITS = sql`not exists (
  select from added_hits added where added.website_number = website_day.website_number and added.day = website_day.day)`;

/** The condition that the hits of a day are stored. */
export const IS_KEPT = sql`day >= (select kept_from from hit_retention)`;

/** These days as a table of `website_number` and `day`. */
export function tableOfDays(days: readonly WebsiteDay[], name = 'chosen_day'): Cte {
  const numbers = days.map(({ websiteNumber }) => websiteNumber);
  const dates = days.map(({ day }) => day);
  return cte(name, sql`select * from unnest(${numbers}::bigint[], ${dates}::date[])`, {
    columns: sql`website_number, day`,
  });
}

/** The same without parameters, by the name `chosen`. */
export function listOfDays(days: readonly WebsiteDay[]): RawBuilder<unknown> {
  const list = (items: readonly string[]) => sql.lit(`{${items.join()}}`);
  const numbers = list(days.map(({ websiteNumber }) => websiteNumber));
  return sql`unnest(${numbers}::bigint[], ${list(days.map(({ day }) => day))}::date[]) chosen (website_number, day)`;
}

/** The rows of these days in `book`, each day found by the index, without parameters. They go by the name `book`. */
export function rowsOfDays(days: readonly WebsiteDay[]): RawBuilder<unknown> {
  return sql`(
    select found.* from ${listOfDays(days)} cross join lateral (
      select * from book
      where book.website_number = chosen.website_number and book.day = chosen.day
      offset 0
    ) found
  ) book`;
}
