import type pg from 'pg';

/** The numbers that the usual query and the API both have. */
export interface UsualTotals {
  readonly visitors: number;
  readonly pageviews: number;
}

const CHOSEN = 'from hit where website_number = $1 and day between $2 and $3';
const VISITORS = 'count(distinct visitor)';
const LISTED = ['page', 'source'];

/**
 * What a page of statistics usually asks of raw hits: totals, a series by day, and two lists of ten. Visits, bounces, durations,
 * the period before and more than ten other lists, which Hitherto's page also has, are left out.
 */
export async function usualQuery(
  client: pg.Client,
  websiteNumber: string,
  from: string,
  to: string,
): Promise<UsualTotals> {
  const values = [websiteNumber, from, to];
  const { rows } = await client.query<UsualTotals>(
    `select ${VISITORS}::integer as visitors, (count(*) filter (where name is null))::integer as pageviews ${CHOSEN}`,
    values,
  );
  await client.query(`select day, ${VISITORS}, count(*) ${CHOSEN} group by day order by day`, values);
  for (const column of LISTED) {
    await client.query(
      `select ${column}, ${VISITORS} as visitors, count(*) ${CHOSEN} group by ${column} order by visitors desc limit 10`,
      values,
    );
  }
  const [totals] = rows;
  if (totals === undefined) throw new Error('The usual query returned nothing.');
  return totals;
}
