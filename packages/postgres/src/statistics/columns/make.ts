import { FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import { VISIT_GAP_MS } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { HIT_ORDER } from '../visits/visits.ts';
import type { WebsiteDay } from '../website-days.ts';
import { encodeVisits, type VisitToEncode } from './encode.ts';
import { COLUMN_NAMES } from './visit-columns.ts';

/**
 * Makes a row of a day from its hits: that with the visits of a range of visitors. Visitors are numbers of 64 bits at random,
 * so equal ranges have about as many visits.
 *
 * @param hitsOfDay how many hits the day has
 * @param part which of `parts` ranges, from 0
 */
export async function makeColumns(
  transaction: Transaction,
  { websiteNumber, day }: WebsiteDay,
  hitsOfDay: string,
  part: number,
  parts: number,
): Promise<void> {
  const isOfPart = sql`
    website_number = ${websiteNumber} and day = ${day}::date
    and visitor between ${startOfPart(part, parts)}::bigint and ${startOfPart(part + 1, parts) - 1n}::bigint`;
  const { rows } = await transaction.query(once(visitsOf(sql`select * from hit where ${isOfPart}`)));
  const { visits, firstMinute, columns } = await encodeVisits(rows);
  const values = COLUMN_NAMES.map((name) => sql`${columns[name]}::bytea`);
  await transaction.query(
    once(sql`
      insert into visit_columns (website_number, hits_of_day, day, part, visits, first_minute, ${columnsOf(COLUMN_NAMES)})
      values (${websiteNumber}, ${hitsOfDay}, ${day}::date, ${part}, ${visits}, ${firstMinute}, ${sql.join(values)})`),
  );
}

/** The first visitor of a range. */
function startOfPart(part: number, parts: number): bigint {
  return -(2n ** 63n) + (2n ** 64n * BigInt(part)) / BigInt(parts);
}

/** A select of the visits of these hits, sorted by visitor and time. */
function visitsOf(hits: RawBuilder<unknown>): RawBuilder<VisitToEncode> {
  const ofFirstHit = FIRST_HIT_DIMENSIONS.map(
    (dimension) => sql`min(${sql.ref(dimension)}) filter (where begins) as ${sql.ref(dimension)}`,
  );
  const minute = sql`floor(extract(epoch from time) / 60)::integer`;
  return sql<VisitToEncode>`
    select visitor::text as visitor, (extract(epoch from max(time) - min(time)) * 1000)::integer as duration,
      json_agg(
        case when name is null then json_build_array(${minute}, page) else json_build_array(${minute}, name, props) end
        order by place
      ) as hits,
      ${sql.join(ofFirstHit)}
    from (
      select *, count(*) filter (where begins) over (partition by visitor order by place) as visit
      from (
        select *, row_number() over ordered as place,
          coalesce(time - lag(time) over ordered > ${`${VISIT_GAP_MS} milliseconds`}::interval, true) as begins
        from (${hits}) hit
        window ordered as (partition by visitor order by ${HIT_ORDER})
      ) placed
    ) of_visit
    group by visitor, visit
    order by of_visit.visitor, visit`;
}
