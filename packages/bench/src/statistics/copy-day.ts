import type pg from 'pg';

const DAY_SECONDS = 86_400;
/** The kind of summary whose values are the second at which an hour begins. */
const HOUR = 18;
/** The kind of the row of `week_summary` that has the number of days. */
const TOTAL = 0;

/** How a column of a later day is made. */
const LATER: Readonly<Record<string, string>> = {
  day: 'day + $2::integer',
  // Nobody is the same visitor on two days.
  visitor: 'visitor # $2::bigint',
  time: "time + $2::integer * interval '1 day'",
  started: "started + $2::integer * interval '1 day'",
  ended: "ended + $2::integer * interval '1 day'",
  first_minute: `first_minute + $2::integer * ${DAY_SECONDS / 60}`,
};
const LATER_OF_SUMMARY: typeof LATER = {
  ...LATER,
  value: `case when dimension = ${HOUR} then (value::bigint + $2::integer * ${DAY_SECONDS})::text else value end`,
};

/** Copies the hits, visits, columns and summary of a website's first day to a later day. */
export async function copyFirstDay(client: pg.Client, websiteNumber: string, daysLater: number): Promise<void> {
  await client.query('set synchronous_commit = off');
  for (const table of ['hit', 'visit', 'visit_columns', 'summary', 'website_day']) {
    const { rows } = await client.query<{ name: string }>(
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum',
      [table],
    );
    const columns = rows.map(({ name }) => name);
    const later = table === 'summary' ? LATER_OF_SUMMARY : LATER;
    await client.query(
      `insert into ${table} (${columns.join(', ')})
       select ${columns.map((column) => later[column] ?? column).join(', ')} from ${table}
       where website_number = $1 and day = (select min(day) from website_day where website_number = $1)`,
      [websiteNumber, daysLater],
    );
  }
}

/** Makes the sums of weeks from copied summaries, which the service does when it summarises a day of a week. */
export async function sumUpWeeks(client: pg.Client, websiteNumber: string): Promise<void> {
  const week = 'day - (extract(isodow from day)::integer - 1)';
  await client.query('update website_day set in_week_summary = summarised where website_number = $1', [websiteNumber]);
  await client.query(
    `insert into week_summary (website_number, week, dimension, value, visitors, events)
     select website_number, ${week} as week, dimension, value, sum(visitors), sum(events)
     from website_day join summary using (website_number, day)
     where website_number = $1 and in_week_summary and dimension not in (${TOTAL}, ${HOUR})
     group by website_number, 2, dimension, value
     union all
     select website_number, ${week}, ${TOTAL}, null, count(*), 0 from website_day
     where website_number = $1 and in_week_summary group by website_number, 2
     order by dimension, week`,
    [websiteNumber],
  );
}
