import { groupBy, isId } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import { type DayVisitors, type Glance, type GlanceQuery, NO_GLANCE } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { VISITOR_COLUMNS, visitorsOfPart } from '../columns/part.ts';
import { readParts } from '../columns/read.ts';
import { COUNTS } from '../columns/store-part.ts';
import { decodeShort } from '../days/stored-numbers.ts';
import { CODES, toGaps } from '../summary-columns.ts';
import { IS_KEPT } from '../website-days.ts';

/** What a snapshot has of a website and its days. */
interface FoundWebsite {
  /** Of its query, counted from 1. */
  readonly place: number;
  readonly websiteNumber: string;
  readonly isOutside: boolean;
  /** Whether visits of the website are hidden. */
  readonly hasRules: boolean;
  readonly firstDay: Day | null;
  /** Of hits that are not in the book, and of those of the last day in it, in milliseconds. */
  readonly lastHit: number | null;
  /** The days whose numbers count, with the row of the kind `total` in hexadecimal digits, and the other days that have hits. */
  readonly numbered: readonly (readonly [Day, string])[];
  readonly open: readonly Day[];
  readonly cutHasSums: boolean;
  /** Sums of imported days: visitors and gaps. */
  readonly sums: readonly (readonly [Day, number, number])[];
}

/** Hits whose visitors are counted: of days of a website, from one moment until before another. */
interface Span {
  readonly websiteNumber: string;
  readonly from: Day;
  readonly to: Day;
  readonly since: number;
  readonly until: number;
}

/** With hidden visits, where there are any. */
interface FoundGlance extends Glance {
  readonly hasRules: boolean;
}

/** PostgreSQL and `Date` know these moments. */
const FIRST = Date.UTC(1970, 0);
const LAST = Date.UTC(9999, 0);

/**
 * Reads the glances at websites with three statements: one finds their days and numbers, the others count the visitors of days
 * without numbers, of parts of days, and of now.
 */
export async function readGlances(
  transaction: Transaction,
  queries: readonly GlanceQuery[],
  readsInactiveEngine: boolean,
): Promise<readonly FoundGlance[]> {
  const found = await findWebsites(transaction, queries);
  if (found.some(({ isOutside }) => isOutside) && !readsInactiveEngine) throw movedAway();
  const spansOf = found.map((website) => spansOfWebsite(website, queries[website.place - 1]));
  const counted = await countVisitors(transaction, spansOf.flat());
  const glances: FoundGlance[] = queries.map(() => ({ ...NO_GLANCE, hasRules: false }));
  let next = 0;
  for (const [index, website] of found.entries()) {
    const ofWebsite = counted.slice(next, next + (spansOf[index]?.length ?? 0));
    next += ofWebsite.length;
    const [current = 0, cut = 0, ...open] = ofWebsite;
    glances[website.place - 1] = {
      days: daysOf(website, open),
      cut: website.cutHasSums ? undefined : cut,
      current,
      lastHit: website.lastHit === null ? undefined : new Date(website.lastHit),
      firstDay: website.firstDay ?? undefined,
      hasRules: website.hasRules,
    };
  }
  return glances;
}

/** Those of now, of the cut day, and of each day without numbers. */
function spansOfWebsite({ websiteNumber, open }: FoundWebsite, query: GlanceQuery | undefined): readonly Span[] {
  if (query === undefined) return [];
  const { cut, since, now } = query;
  // A day begins up to 14 hours earlier than in UTC, or 12 hours later.
  const dayAt = (time: Date, days: number) => addDays(time.toISOString().slice(0, 10), days);
  return [
    {
      websiteNumber,
      from: dayAt(since, -1),
      to: dayAt(now, 1),
      since: since.getTime(),
      until: now.getTime() + 1,
    },
    { websiteNumber, from: cut.day, to: cut.day, since: FIRST, until: cut.until.getTime() },
    ...open.map((day) => ({ websiteNumber, from: day, to: day, since: FIRST, until: LAST })),
  ];
}

function daysOf({ numbered, open, sums }: FoundWebsite, visitorsOfOpen: readonly number[]): readonly DayVisitors[] {
  const days = new Map<Day, { visitors: number; gaps: number }>();
  const add = (day: Day, visitors: number, gaps = 0) => {
    const before = days.get(day) ?? { visitors: 0, gaps: 0 };
    days.set(day, { visitors: before.visitors + visitors, gaps: before.gaps | gaps });
  };
  for (const [day, keys] of numbered) add(day, decodeShort(1, Buffer.from(keys, 'hex'))[0]?.[0] ?? 0);
  for (const [index, day] of open.entries()) add(day, visitorsOfOpen[index] ?? 0);
  for (const [day, visitors, gaps] of sums) add(day, visitors, gaps);
  return [...days]
    .filter(([, { visitors }]) => visitors > 0)
    .map(([day, { visitors, gaps }]) => ({ day, visitors, ...toGaps(gaps) }))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

async function findWebsites(
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
      noted as materialized (
        select place, number, day, sum(hits) as hits, sum(hits_in_numbers) as hits_in_numbers, max(booked) as booked,
          day >= (select kept_from from kept) as is_kept
        from (
          select place, number, day, hits, hits_in_numbers, case when hits_in_book > 0 then day end as booked
          from asked join website_day on ${isInPeriod}
          union all
          select place, number, day, hits, 0, null from asked join added_hits on ${isInPeriod}
        ) found
        group by place, number, day
      ),
      known as materialized (
        select place, day, booked, is_kept, hits = hits_in_numbers as has_all, (
          select encode(keys, 'hex') from day_numbers
          where website_number = number and not is_month and day_numbers.day = noted.day and kind = ${sql.lit(CODES.total)}
        ) as keys
        from noted
      ),
      days as materialized (
        select place, max(booked) as booked,
          json_agg(json_build_array(day, keys)) filter (where keys is not null and (has_all or not is_kept)) as numbered,
          json_agg(day) filter (where is_kept and not has_all) as open,
          array_agg(day) filter (where keys is not null and not is_kept) as without_hits
        from known group by place
      )
      select asked.place, asked.number as "websiteNumber", (select is_outside from statistics_engine) as "isOutside",
        exists (select from cleanup where ${isOfWebsite} and status <> 'applying') as "hasRules",
        least(
          (select min(day) from website_day where ${isOfWebsite}), (select min(day) from ${ofSums}),
          (select min(day) from added_hits where ${isOfWebsite} and day >= (select kept_from from kept))
        )::text as "firstDay",
        greatest(
          (select extract(epoch from max(time)) * 1000 from hit where ${isInPeriod} and day >= (select kept_from from kept) and seconds is null),
          (select max(last_time) from book where ${isOfWebsite} and day = days.booked and ${COUNTS})
        )::double precision as "lastHit",
        coalesce(days.numbered, '[]') as numbered, coalesce(days.open, '[]') as open,
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

/** Counts the distinct visitors of each span: in Node where some of its hits are in the book. */
async function countVisitors(transaction: Transaction, spans: readonly Span[]): Promise<readonly number[]> {
  if (spans.length === 0) return [];
  const booked = await readBooked(transaction, spans);
  const { rows } = await transaction.query(
    once(sql<{ place: number; visitors: number; listed: readonly string[] | null }>`
      select place, count(distinct visitor)::integer as visitors,
        case when place = any(${sql.lit(`{${[...booked.keys()].join()}}`)}::integer[])
          then json_agg(distinct visitor::text) end as listed
      from ${tableOf(spans)} cross join lateral (
        select visitor from hit
        where website_number = span.number and day between span.from_day and span.to_day
          and time >= span.since and time < span.until and seconds is null and ${IS_KEPT}
        offset 0
      ) found
      group by place`),
  );
  const counts = spans.map((_, place) => booked.get(place)?.size ?? 0);
  for (const { place, visitors, listed } of rows) {
    const ofSpan = booked.get(place);
    for (const visitor of listed ?? []) ofSpan?.add(BigInt.asUintN(64, BigInt(visitor)));
    counts[place] = ofSpan?.size ?? visitors;
  }
  return counts;
}

/** The visitors that the book has of spans, by their places. */
async function readBooked(transaction: Transaction, spans: readonly Span[]): Promise<ReadonlyMap<number, Set<bigint>>> {
  const parts = await readParts(
    transaction,
    sql`(
      select found.* from ${tableOf(spans)} cross join lateral (
        select * from book
        where website_number = span.number and day between span.from_day and span.to_day
          and last_time >= extract(epoch from span.since) * 1000 and first_time < extract(epoch from span.until) * 1000
          and ${IS_KEPT}
        offset 0
      ) found
    ) book where ${COUNTS}`,
    VISITOR_COLUMNS,
  );
  const byWebsite = groupBy(parts, ({ websiteNumber }) => websiteNumber);
  const booked = new Map<number, Set<bigint>>();
  for (const [place, { websiteNumber, from, to, since, until }] of spans.entries()) {
    const ofSpan = (byWebsite.get(websiteNumber) ?? []).filter(
      ({ day, firstTime, lastTime }) => from <= day && day <= to && firstTime < until && lastTime >= since,
    );
    if (ofSpan.length > 0) booked.set(place, new Set(ofSpan.flatMap((part) => visitorsOfPart(part, since, until))));
  }
  return booked;
}

function tableOf(spans: readonly Span[]): RawBuilder<unknown> {
  const timeOf = (milliseconds: number) => new Date(milliseconds).toISOString();
  const list = listOf([
    ['integer', spans.map((_, place) => place)],
    ['bigint', spans.map(({ websiteNumber }) => websiteNumber)],
    ['date', spans.map(({ from }) => from)],
    ['date', spans.map(({ to }) => to)],
    ['timestamptz', spans.map(({ since }) => timeOf(since))],
    ['timestamptz', spans.map(({ until }) => timeOf(until))],
  ]);
  return sql`${list} span (place, number, from_day, to_day, since, until)`;
}

/** Rows by columns, without parameters. */
function listOf(columns: readonly (readonly [type: string, values: readonly (string | number)[]])[]) {
  const lists = columns.map(([type, values]) => sql`${sql.lit(`{${values.join()}}`)}::${sql.raw(type)}[]`);
  return sql`unnest(${sql.join(lists)})`;
}
