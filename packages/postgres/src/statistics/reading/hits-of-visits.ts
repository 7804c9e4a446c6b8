import type { Day } from '@hitherto/domain/calendar';
import type { HitRule } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { encodeNumbers } from '../columns/format.ts';
import type { ColumnName } from '../columns/visit-columns.ts';
import { chosenVisits, inScope, isFulfilled, type Scope } from '../visits/chosen-visits.ts';
import { matchesAny } from '../visits/matching.ts';
import { HIT_ORDER, IS_OF_VISIT } from '../visits/visits.ts';

type Sql = RawBuilder<unknown>;

/** The chosen visits of a day. */
export interface VisitsOfDay {
  readonly day: Day;
  /** How many there are. */
  readonly visits: number;
  /** The visitor of each visit. */
  readonly visitors: BigInt64Array;
  /** As in a row of `visit_columns`, but only the visits' hits that match any of the rules. */
  readonly stored: ReadonlyMap<ColumnName, Buffer | null>;
}

/**
 * Reads the chosen visits, of days that are not stored by columns, with their hits that fulfil any of the rules. Hits are read
 * once, however many rules there are.
 *
 * @param rules with values as they are stored
 * @param isOrdered whether the order of a visit's hits matters
 */
export async function readHitsOfVisits(
  transaction: Transaction,
  scope: Scope,
  rules: readonly HitRule[],
  isOrdered: boolean,
): Promise<readonly VisitsOfDay[]> {
  const { rows } = await transaction.query(once(hitsByDay(scope, rules, isOrdered)));
  return rows.map(visitsOfRow);
}

/** A day. Numbers are in the byte order of the network, values in JSON. */
interface DayRow {
  readonly day: Day;
  readonly visits: number;
  readonly visitors: Buffer;
  readonly repeats: Buffer;
  readonly pageviews: Buffer;
  readonly events: Buffer;
  readonly hits: Buffer | null;
  readonly pageValues: readonly string[];
  readonly eventValues: readonly string[];
}

function visitsOfRow({ day, visits, visitors, pageValues, eventValues, ...numbers }: DayRow): VisitsOfDay {
  return {
    day,
    visits,
    visitors: new BigInt64Array(new Uint8Array(Buffer.from(visitors).swap64()).buffer),
    stored: new Map([
      ['repeats', numbersOf(numbers.repeats)],
      ['pageviews', numbersOf(numbers.pageviews)],
      ['events', numbersOf(numbers.events)],
      ['hits', numbersOf(numbers.hits ?? Buffer.of())],
      ['page_values', Buffer.from(`[${['null', ...pageValues].join()}]`)],
      ['event_values', Buffer.from(`[${eventValues.join()}]`)],
    ]),
  };
}

function numbersOf(bytes: Buffer): Buffer | null {
  return encodeNumbers(Array.from(new Uint32Array(new Uint8Array(Buffer.from(bytes).swap32()).buffer)));
}

function hitsByDay(scope: Scope, rules: readonly HitRule[], isOrdered: boolean): RawBuilder<DayRow> {
  const place = isOrdered
    ? sql`row_number() over (partition by visit.day, visit.visitor, visit.started order by ${HIT_ORDER})`
    : sql`0`;
  const fulfilled = cte(
    'fulfilled',
    sql`
      select visit.day, visit.visitor, visit.started, hit.name is not null as is_event, ${place} as place,
        (case when hit.name is null then to_json(hit.page) else json_build_array(hit.name, hit.props) end)::text as value
      from ${chosenVisits(scope)} visit
        left join (select * from hit where ${inScope('hit', scope)} and ${fulfilsAny(scope, rules)}) hit on ${IS_OF_VISIT}`,
    { materialized: true },
  );
  const value = cte(
    'hit_value',
    // The codes of columns: pages have even ones from 2, events odd ones from 1.
    sql`
      select is_event, value, 2 * row_number() over (partition by is_event order by value) - is_event::integer as code
      from (select distinct is_event, value from ${fulfilled} where value is not null) found`,
    { materialized: true },
  );
  const valuesOf = (isOfKind: Sql) =>
    sql`coalesce((select array_agg(value order by code) from ${value} where ${isOfKind}), '{}')`;
  const ofVisits = (number: Sql) => sql`string_agg(int4send((${number})::integer), '' order by visitor, started)`;
  return sql<DayRow>`
    select day::text as day, count(*)::integer as visits, string_agg(int8send(visitor), '' order by visitor, started) as visitors,
      ${ofVisits(sql`repeats`)} as repeats,
      ${ofVisits(sql`pageviews`)} as pageviews, ${ofVisits(sql`events`)} as events,
      string_agg(hits, '' order by visitor, started) as hits,
      ${valuesOf(sql`not is_event`)} as "pageValues", ${valuesOf(sql`is_event`)} as "eventValues"
    from (
      select *, coalesce(lag(visitor) over (partition by day order by visitor, started) = visitor, false)::integer as repeats
      from (
        select day, visitor, started, count(code) filter (where not is_event) as pageviews,
          count(code) filter (where is_event) as events, string_agg(int4send(code::integer), '' order by place) as hits
        from ${fulfilled} left join ${value} using (is_event, value)
        group by day, visitor, started
      ) by_visit
    ) repeated
    group by day`;
}

/** The condition that a hit fulfils any of the rules. Patterns are matched with the distinct pages. */
function fulfilsAny(scope: Scope, rules: readonly HitRule[]): Sql {
  const patterns = rules.flatMap((rule) => ('page' in rule ? rule.page : []));
  const ofEvents = rules.flatMap((rule) => ('event' in rule ? isFulfilled(rule) : []));
  const conditions = [
    ...(patterns.length > 0
      ? [sql`hit.name is null and hit.page in (select page from ${matchingPages(scope, patterns)})`]
      : []),
    ...(ofEvents.length > 0 ? [sql`hit.name is not null and (${sql.join(ofEvents, sql` or `)})`] : []),
  ];
  return sql`(${sql.join(conditions, sql` or `)})`;
}

function matchingPages(scope: Scope, patterns: readonly string[]): Cte {
  return cte(
    'matching_page',
    sql`
      select page from (select distinct page from hit where ${inScope('hit', scope)} and name is null) visited
      where ${matchesAny(sql`page`, patterns)}`,
    { materialized: true },
  );
}
