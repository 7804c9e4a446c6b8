import type { Day } from '@hitherto/domain/calendar';
import type { StoredSummary, WebsiteDay } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { summariseWeeks } from '../statistics/days/weeks.ts';
import { waitForWorkLock } from '../statistics/jobs/work-lock.ts';
import { NESTED_LOOPS } from '../statistics/planner.ts';
import {
  CODES,
  KINDS,
  type NumbersRow,
  SUMMARY_COLUMNS,
  SUMS_TO_READ,
  toTotals,
} from '../statistics/summary-columns.ts';

/** How many days are read or written at once. */
const MAX_DAYS = 30;

/** The summaries of days whose hits are deleted. */
export async function* readOldSummaries(database: Database): AsyncIterable<readonly StoredSummary[]> {
  const { rows: days } = await database.query(
    once(sql<{ website: string; day: Day }>`
      select website_number as website, day::text as day from website_day join website on number = website_number
      where day < (select kept_from from hit_retention) order by website_number, day`),
  );
  for (let start = 0; start < days.length; start += MAX_DAYS) {
    const part = days.slice(start, start + MAX_DAYS);
    const { rows } = await database.query(
      once(sql<NumbersRow & { website: string; day: Day; dimension: number; value: string | null }>`
        select website_number as website, day::text as day, dimension, value, ${SUMS_TO_READ}
        from summary where (website_number, day) in (
          select * from unnest(${part.map(({ website }) => website)}::bigint[], ${part.map(({ day }) => day)}::date[])
        )
        group by website_number, day, dimension, value having sum(visitors) > 0`),
    );
    yield part.flatMap(({ website, day }) =>
      KINDS.map((kind) => {
        const ofKind = rows.filter(
          (row) => row.website === website && row.day === day && row.dimension === CODES[kind],
        );
        return {
          website: BigInt(website),
          day,
          kind,
          values: ofKind.map((row) => ({ ...toTotals(row), value: row.value })),
        };
      }),
    );
  }
}

/** Replaces the summaries of days before `keptFrom`, whose hits are deleted then. */
export async function replaceOldSummaries(
  database: Database,
  keptFrom: Day,
  summaries: AsyncIterable<readonly StoredSummary[]>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await waitForWorkLock(transaction);
    for (const table of ['summary', 'website_day', 'hit', 'visit']) {
      await transaction.query(once(sql`delete from ${sql.table(table)} where day < ${keptFrom}::date`));
    }
    for await (const part of summaries) await addSummaries(transaction, part);
    await transaction.query(once(sql`update hit_retention set kept_from = ${keptFrom}::date`));
  });
}

async function addSummaries(transaction: Transaction, summaries: readonly StoredSummary[]): Promise<void> {
  const text = summaries.flatMap(({ website, day, kind, values }) =>
    values.map((row) => {
      const { visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration } = row;
      const numbers = [visitors, visits, pageviews, events, bounces, visitsWithPageviews, duration];
      return JSON.stringify([website.toString(), day, CODES[kind], row.value, ...numbers]);
    }),
  );
  await transaction.query(
    once(sql`
      insert into summary (website_number, ${SUMMARY_COLUMNS})
      select (row ->> 0)::bigint, (row ->> 1)::date, (row ->> 2)::smallint, row ->> 3, (row ->> 4)::integer,
        (row ->> 5)::integer, (row ->> 6)::integer, (row ->> 7)::integer, (row ->> 8)::integer, (row ->> 9)::integer,
        (row ->> 10)::bigint
      from unnest(${text}::jsonb[]) rows (row)`),
  );
  const days = daysOf(summaries);
  await transaction.query(
    once(sql`
      insert into website_day (website_number, day, summarised)
      select *, true from unnest(
        ${days.map(({ websiteNumber }) => websiteNumber)}::bigint[], ${days.map(({ day }) => day)}::date[]
      )
      on conflict (website_number, day) do nothing`),
  );
  await transaction.query(once(sql`select ${NESTED_LOOPS}`));
  await summariseWeeks(transaction, days);
}

function daysOf(summaries: readonly WebsiteDay[]): { websiteNumber: string; day: Day }[] {
  const days = new Map(summaries.map(({ website, day }) => [`${website} ${day}`, { website, day }]));
  return [...days.values()].map(({ website, day }) => ({ websiteNumber: website.toString(), day }));
}
