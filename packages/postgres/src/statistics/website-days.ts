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

/**
 * Whether a row of `website_day`, with its `website`, fulfils the condition. Every instance asks this regularly and mostly finds nothing: one
 * statement, where a transaction under the lock takes five.
 */
export async function hasDay(database: Database, condition: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await database.query(
    once(sql<{ found: boolean }>`select exists (
        select from website_day left join website on website.number = website_number where ${condition}
      ) as found`),
  );
  return rows[0]?.found === true;
}

/** The condition that the visits of a day have all its hits. */
export const HAS_ALL_HITS = sql`not exists (
  select from changed_visitor changed
  where changed.website_number = website_day.website_number and changed.day = website_day.day)`;

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

/**
 * A select of the rows of `hit` or `visit` of these days, each day found by the index. The first and the last day are
 * constants, so other months are pruned.
 */
export function rowsOfDays(
  table: 'hit' | 'visit',
  columns: RawBuilder<unknown>,
  days: readonly WebsiteDay[],
): RawBuilder<unknown> {
  const sorted = days.map(({ day }) => day).sort();
  return sql`
    select found.* from ${tableOfDays(days, `day_of_${table}`)} chosen cross join lateral (
      select ${columns} from ${sql.table(table)} row
      where row.website_number = chosen.website_number and row.day = chosen.day
        and row.day between ${sorted[0]}::date and ${sorted.at(-1)}::date
      offset 0
    ) found`;
}
