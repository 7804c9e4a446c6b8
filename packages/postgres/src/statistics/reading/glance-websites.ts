import { isId } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { GlanceQuery } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { COUNTS } from '../book/store-part.ts';
import { VISITORS_OF_TOTAL } from '../days/stored-numbers.ts';
import { CODES } from '../summary-columns.ts';

/** A website and its days in a snapshot. */
export interface FoundWebsite {
  /** Of its query, counted from 1. */
  readonly place: number;
  readonly websiteNumber: string;
  readonly isOutside: boolean;
  /** Whether visits of the website are hidden. */
  readonly hasRules: boolean;
  readonly firstDay: Day | null;
  /** Of hits of the last day that the book has, in milliseconds. */
  readonly lastBooked: number | null;
  /** The days whose numbers count, by how many days they come after the first one of the query, and their visitors. */
  readonly numbered: readonly number[];
  readonly visitors: readonly number[];
  /** The other days that have hits. */
  readonly open: readonly Day[];
  readonly cutHasSums: boolean;
  /** While it is the same, so are the hits of the cut day; `null` if some are not in the book. */
  readonly cutVersion: string | null;
  /** Sums of imported days: visitors and gaps. */
  readonly sums: readonly (readonly [Day, number, number])[];
}

/** Finds the websites of queries, with their days and numbers. */
export async function findWebsites(
  transaction: Transaction,
  queries: readonly GlanceQuery[],
): Promise<readonly FoundWebsite[]> {
  const known = queries
    .map((query, index) => ({ ...query, place: index + 1 }))
    .filter(({ websiteId }) => isId(websiteId));
  if (known.length === 0) return [];
  const asked = listOf([
    ['integer', known.map(({ place }) => place)],
    ['uuid', known.map(({ websiteId }) => websiteId)],
    ['date', known.map(({ from }) => from)],
    ['date', known.map(({ to }) => to)],
    ['date', known.map(({ cut }) => cut.day)],
  ]);
  const isOfWebsite = sql`website_number = asked.number`;
  const isInPeriod = sql`${isOfWebsite} and day between from_day and to_day`;
  const ofSums = sql`
    import join import_day on import_number = import.number
    where ${isOfWebsite} and status = 'done' and counts -> 'sums' is not null`;
  const { rows } = await transaction.query(
    once(sql<FoundWebsite>`
      with kept as materialized (select kept_from from hit_retention),
      asked as materialized (
        select place, number, from_day, to_day, cut_day
        from ${asked} chosen (place, id, from_day, to_day, cut_day) join website using (id)
      ),
      added as materialized (select website_number, day, sum(hits)::double precision as hits from added_hits group by website_number, day),
      noted as materialized (
        select place, from_day, cut_day, day, day >= (select kept_from from kept) as is_kept,
          website_day.hits + coalesce(added.hits, 0) as hits, hits_in_numbers, is_loose or added.hits is not null as is_loose, rewritten_in
        from asked join website_day on website_number = asked.number and day between from_day and to_day
          left join added using (website_number, day)
        union all
        select place, from_day, cut_day, day, day >= (select kept_from from kept), hits, 0, true, 0 from asked join added on ${isInPeriod}
        where not exists (
          select from website_day where website_day.website_number = added.website_number and website_day.day = added.day
        )
      ),
      totals as materialized (
        select place, total.* from asked cross join lateral (
          select day, ${VISITORS_OF_TOTAL} as visitors from day_numbers
          where ${isInPeriod} and not is_month and kind = ${sql.lit(CODES.total)}
          offset 0
        ) total
      ),
      days as materialized (
        select place,
          array_agg(day - from_day) filter (where visitors is not null and (has_all or not is_kept)) as numbered,
          array_agg(visitors) filter (where visitors is not null and (has_all or not is_kept)) as visitors,
          json_agg(day) filter (where is_kept and not has_all) as open,
          array_agg(day) filter (where visitors is not null and not is_kept) as without_hits,
          max(concat_ws(' ', (
            select journal_id || ' ' || pg_postmaster_start_time() from statistics_engine
          ), hits, rewritten_in)) filter (where day = cut_day and is_kept and not is_loose) as cut_version
        from (select *, hits = hits_in_numbers as has_all from noted left join totals using (place, day)) known
        group by place
      )
      select asked.place, asked.number as "websiteNumber", (select is_outside from statistics_engine) as "isOutside",
        exists (select from cleanup where ${isOfWebsite} and status <> 'applying') as "hasRules",
        least(
          (select min(day) from website_day where ${isOfWebsite}), (select min(day) from ${ofSums}),
          (select min(day) from added_hits where ${isOfWebsite} and day >= (select kept_from from kept))
        )::text as "firstDay",
        (
          select last_time from book where ${isInPeriod} and visits > 0 and ${COUNTS} order by day desc, last_time desc limit 1
        ) as "lastBooked",
        days.cut_version as "cutVersion", to_json(coalesce(days.numbered, '{}')) as numbered, to_json(coalesce(days.visitors, '{}')) as visitors, coalesce(days.open, '[]') as open,
        coalesce(cut_day = any(without_hits), false) or exists (select from ${ofSums} and day = cut_day) as "cutHasSums",
        (
          select coalesce(json_agg(json_build_array(day, visitors, gaps)), '[]') from imported_sum
          where ${isInPeriod} and dimension = ${sql.lit(CODES.total)}
            and exists (select from import where number = import_number and status = 'done')
        ) as sums
      from asked left join days using (place) order by asked.place`),
  );
  return rows;
}

/** Rows by columns, without parameters. */
export function listOf(columns: readonly (readonly [type: string, values: readonly (string | number)[]])[]) {
  const lists = columns.map(([type, values]) => sql`${sql.lit(`{${values.join()}}`)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(lists)})`;
}
