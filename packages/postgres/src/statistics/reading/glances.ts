import { groupBy, isId } from '@hitherto/domain/base';
import { addDays, type Day, daysOf } from '@hitherto/domain/calendar';
import { type DayVisitors, type Glance, type GlanceQuery, NO_GLANCE } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { firstHitsOfPart, VISITOR_COLUMNS, visitorsOfPart } from '../columns/part.ts';
import { readParts } from '../columns/read.ts';
import { COUNTS } from '../columns/store-part.ts';
import { remembered } from '../columns/visit-columns.ts';
import { VISITORS_OF_TOTAL } from '../days/stored-numbers.ts';
import { CODES, toGaps } from '../summary-columns.ts';
import { IS_KEPT, rowsOfDays } from '../website-days.ts';

/** What a snapshot has of a website and its days. */
interface FoundWebsite {
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

/** Hits whose visitors are counted: of days of a website, from one moment until before another. */
interface Span {
  readonly websiteNumber: string;
  readonly from: Day;
  readonly to: Day;
  readonly since: number;
  readonly until: number;
}

/** What is counted of the hits of a website that are not in the book, and of those that are. */
interface CountedHits {
  readonly current: number;
  readonly cut: number;
  /** Of each open day. */
  readonly open: readonly number[];
  /** The last hit that is not in the book, in milliseconds. */
  readonly last: number | undefined;
}

/** With hidden visits, where there are any. */
interface FoundGlance extends Glance {
  readonly hasRules: boolean;
}

/** PostgreSQL and `Date` know these moments. */
const FIRST = Date.UTC(1970, 0);
const LAST = Date.UTC(9999, 0);

/**
 * Reads the glances at websites with three statements: one finds their days and numbers, the others read the hits of days without
 * numbers, of parts of days, and of now, each of them once. The cut days of the first look take another one.
 */
export async function readGlances(
  transaction: Transaction,
  queries: readonly GlanceQuery[],
  readsInactiveEngine: boolean,
  firstHits: FirstHits,
): Promise<readonly FoundGlance[]> {
  const found = await findWebsites(transaction, queries);
  if (found.some(({ isOutside }) => isOutside) && !readsInactiveEngine) throw movedAway();
  const counted = await countHits(transaction, found, queries, firstHits);
  // Most websites are asked for the same days.
  const periods = new Map<string, readonly Day[]>();
  const datesOf = ({ from, to }: GlanceQuery) => remembered(periods, `${from} ${to}`, () => daysOf(from, to));
  const glances: FoundGlance[] = queries.map(() => ({ ...NO_GLANCE, hasRules: false }));
  for (const [index, website] of found.entries()) {
    const { current = 0, cut = 0, open = [], last } = counted[index] ?? {};
    const query = queries[website.place - 1];
    const lastHit = Math.max(last ?? 0, website.lastBooked ?? 0);
    glances[website.place - 1] = {
      days: query === undefined ? [] : visitorsOfDays(website, datesOf(query), open),
      cut: website.cutHasSums ? undefined : cut,
      current,
      lastHit: last === undefined && website.lastBooked === null ? undefined : new Date(lastHit),
      firstDay: website.firstDay ?? undefined,
      hasRules: website.hasRules,
    };
  }
  return glances;
}

/** Those of now, of the cut day unless it is cached, and of each day without numbers. */
function spansOf({ websiteNumber, open, cutVersion }: FoundWebsite, query: GlanceQuery): readonly Span[] {
  const { cut, since, now } = query;
  const [from, to] = daysAround(query);
  const untilOfCut = cutVersion === null ? cut.until.getTime() : FIRST;
  return [
    { websiteNumber, from, to, since: since.getTime(), until: now.getTime() + 1 },
    { websiteNumber, from: cut.day, to: cut.day, since: FIRST, until: untilOfCut },
    ...open.map((day) => ({ websiteNumber, from: day, to: day, since: FIRST, until: LAST })),
  ];
}

/** The days that now can be on: a day begins up to 14 hours earlier than in UTC, or 12 hours later. */
function daysAround({ since, now }: Pick<GlanceQuery, 'since' | 'now'>): readonly [Day, Day] {
  const dayAt = (time: Date, days: number) => addDays(time.toISOString().slice(0, 10), days);
  return [dayAt(since, -1), dayAt(now, 1)];
}

function visitorsOfDays(
  { numbered, visitors: ofNumbered, open, sums }: FoundWebsite,
  dates: readonly Day[],
  visitorsOfOpen: readonly number[],
): readonly DayVisitors[] {
  const visitors = new Float64Array(dates.length);
  const gaps = new Uint8Array(dates.length);
  const add = (place: number, more: number, gap = 0) => {
    visitors[place] = (visitors[place] ?? 0) + more;
    gaps[place] = (gaps[place] ?? 0) | gap;
  };
  for (const [index, after] of numbered.entries()) add(after, ofNumbered[index] ?? 0);
  for (const [index, day] of open.entries()) add(dates.indexOf(day), visitorsOfOpen[index] ?? 0);
  for (const [day, ofDay, gap] of sums) add(dates.indexOf(day), ofDay, gap);
  return dates.flatMap((day, place) => {
    const ofDay = visitors[place] ?? 0;
    return ofDay > 0 ? { day, visitors: ofDay, ...toGaps(gaps[place] ?? 0) } : [];
  });
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
      added as materialized (select website_number, day, sum(hits)::double precision as hits from added_hits group by website_number, day),
      noted as materialized (
        select place, from_day, cut_day, day, day >= (select kept_from from kept) as is_kept,
          website_day.hits + coalesce(added.hits, 0) as hits, hits_in_numbers, hits_in_book, rewritten_in
        from asked join website_day on website_number = asked.number and day between from_day and to_day
          left join added using (website_number, day)
        union all
        select place, from_day, cut_day, day, day >= (select kept_from from kept), hits, 0, 0, 0 from asked join added on ${isInPeriod}
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
        select place, max(day) filter (where hits_in_book > 0) as booked,
          array_agg(day - from_day) filter (where visitors is not null and (has_all or not is_kept)) as numbered,
          array_agg(visitors) filter (where visitors is not null and (has_all or not is_kept)) as visitors,
          json_agg(day) filter (where is_kept and not has_all) as open,
          array_agg(day) filter (where visitors is not null and not is_kept) as without_hits,
          max(concat_ws(' ', (
            select journal_id || ' ' || pg_postmaster_start_time() from statistics_engine
          ), hits, rewritten_in)) filter (where day = cut_day and is_kept and hits = hits_in_book) as cut_version
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
          select max(last_time) from book where ${isOfWebsite} and day = days.booked and ${COUNTS}
        )::double precision as "lastBooked",
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

/** Counts hits of websites: reads those that are not in the book once, and those that are where a span needs some. */
async function countHits(
  transaction: Transaction,
  websites: readonly FoundWebsite[],
  queries: readonly GlanceQuery[],
  firstHits: FirstHits,
): Promise<readonly CountedHits[]> {
  const asked = websites.flatMap((website) => {
    const query = queries[website.place - 1];
    return query === undefined ? [] : [{ website, query, spans: spansOf(website, query) }];
  });
  if (asked.length === 0) return [];
  const booked = await readBooked(
    transaction,
    asked.flatMap(({ spans }) => spans),
  );
  const ofCuts = await readFirstHits(
    transaction,
    asked.map(({ website, query }) => ({ ...website, day: query.cut.day })),
    firstHits,
  );
  let first = 0;
  const counted = asked.map(({ website, query, spans }) => {
    const ofBook = spans.map((_, index) => booked.get(first + index));
    first += spans.length;
    return { website, query, ofBook };
  });
  const byPlace = groupBy(await readVisitors(transaction, counted), ({ place }) => place);
  return counted.map(({ website: { open }, query, ofBook: [ofNow, ofCut, ...ofOpen] }, place): CountedHits => {
    const ofPlace = byPlace.get(place) ?? [];
    const whole = ofPlace.find(({ day }) => day === null);
    return {
      current: count(whole?.current ?? 0, whole?.currentListed ?? null, ofNow),
      cut: countBefore(ofCuts[place], query.cut.until) ?? count(whole?.cut ?? 0, whole?.cutListed ?? null, ofCut),
      open: open.map((day, index) => {
        const ofDay = ofPlace.find((row) => row.day === day);
        return count(ofDay?.visitors ?? 0, ofDay?.listed ?? null, ofOpen[index]);
      }),
      last: whole?.last ?? undefined,
    };
  });
}

/** When the visitors of days whose hits are all in the book had their first hit, in milliseconds, in order. */
export type FirstHits = LRUCache<string, Float64Array>;

/** Enough for two million visitors. */
const MAX_FIRST_HITS = 16 * 1024 * 1024;
const KEY_BYTES = 200;

export function createFirstHits(): FirstHits {
  return new LRUCache({ maxSize: MAX_FIRST_HITS, sizeCalculation: (times) => times.byteLength + KEY_BYTES });
}

/** The first hits of visitors of the cut days that have a version, for each of which there is one result. */
async function readFirstHits(
  transaction: Transaction,
  days: readonly (Pick<FoundWebsite, 'websiteNumber' | 'cutVersion'> & { readonly day: Day })[],
  known: FirstHits,
): Promise<readonly (Float64Array | undefined)[]> {
  const keyed = days.map(({ cutVersion, ...day }) => ({
    ...day,
    key: cutVersion === null ? undefined : `${day.websiteNumber} ${day.day} ${cutVersion}`,
  }));
  const found = keyed.map(({ key }) => (key === undefined ? undefined : known.get(key)));
  const missing = keyed.filter(({ key }, place) => key !== undefined && found[place] === undefined);
  if (missing.length === 0) return found;
  const parts = await readParts(transaction, sql`${rowsOfDays('book', missing)} where ${COUNTS}`, VISITOR_COLUMNS);
  const byDay = groupBy(parts, ({ websiteNumber, day }) => `${websiteNumber} ${day}`);
  return keyed.map(({ websiteNumber, day, key }, place) => {
    if (key === undefined || found[place] !== undefined) return found[place];
    const first = new Map<bigint, number>();
    for (const part of byDay.get(`${websiteNumber} ${day}`) ?? []) {
      for (const [visitor, time] of firstHitsOfPart(part))
        first.set(visitor, Math.min(time, first.get(visitor) ?? time));
    }
    const times = Float64Array.from(first.values()).sort();
    known.set(key, times);
    return times;
  });
}

/** How many times are before this one; `undefined` without a list. */
function countBefore(times: Float64Array | undefined, until: Date): number | undefined {
  if (times === undefined) return undefined;
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < until.getTime()) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many visitors there are, with those that the book has, where it has some. */
function count(visitors: number, listed: readonly string[] | null, ofBook: Set<bigint> | undefined): number {
  if (ofBook === undefined) return visitors;
  for (const visitor of listed ?? []) ofBook.add(BigInt.asUintN(64, BigInt(visitor)));
  return ofBook.size;
}

/** The visitors of a website with hits that are not in the book: of a day, or those of now and of the cut day. */
interface VisitorsRow {
  readonly place: number;
  readonly day: Day | null;
  readonly visitors: number;
  readonly current: number;
  readonly cut: number;
  /** In milliseconds. */
  readonly last: number | null;
  /** Them by their numbers, where the book has some, too. */
  readonly listed: readonly string[] | null;
  readonly currentListed: readonly string[] | null;
  readonly cutListed: readonly string[] | null;
}

interface AskedVisitors {
  readonly website: FoundWebsite;
  readonly query: GlanceQuery;
  /** What the book has of now, of the cut day and of each open day. */
  readonly ofBook: readonly (Set<bigint> | undefined)[];
}

async function readVisitors(
  transaction: Transaction,
  asked: readonly AskedVisitors[],
): Promise<readonly VisitorsRow[]> {
  const around = asked.map(({ query }) => daysAround(query));
  const earlier = (one: Day, other: Day) => (one < other ? one : other);
  const later = (one: Day, other: Day) => (one < other ? other : one);
  const table = listOf([
    ['integer', asked.map((_, place) => place)],
    ['bigint', asked.map(({ website }) => website.websiteNumber)],
    ['date', asked.map(({ query }) => query.from)],
    ['date', asked.map(({ query }) => query.to)],
    ['date', asked.map(({ query }, place) => earlier(query.from, around[place]?.[0] ?? query.from))],
    ['date', asked.map(({ query }, place) => later(query.to, around[place]?.[1] ?? query.to))],
    ['date', asked.map(({ query }) => query.cut.day)],
    ['timestamptz', asked.map(({ query }) => query.cut.until.toISOString())],
    ['timestamptz', asked.map(({ query }) => query.since.toISOString())],
    ['timestamptz', asked.map(({ query }) => query.now.toISOString())],
    ['boolean', asked.map(({ ofBook }) => String(ofBook[0] !== undefined))],
    ['boolean', asked.map(({ ofBook }) => String(ofBook[1] !== undefined))],
  ]);
  const listedDays = asked.flatMap(({ website: { open }, ofBook }, place) =>
    open.flatMap((day, index) => (ofBook[2 + index] === undefined ? [] : `${place} ${day}`)),
  );
  const { rows } = await transaction.query(
    once(sql<VisitorsRow>`
      with asked as materialized (
        select * from ${table} asked
          (place, number, from_day, to_day, first_day, last_day, cut_day, cut_until, since, now, lists_current, lists_cut)
      ),
      seen as materialized (
        select place, day, visitor, max(time) as last, bool_or(time between since and now) as is_current,
          bool_or(day = cut_day and time < cut_until) as is_cut
        from asked cross join lateral (
          select day, visitor, time from hit
          where website_number = asked.number and day between asked.first_day and asked.last_day and seconds is null and ${IS_KEPT}
          offset 0
        ) found
        group by place, day, visitor
      ),
      -- A visitor of two days is one.
      current as materialized (select place, count(distinct visitor)::integer as visitors from seen where is_current group by place)
      select place, null as day, 0 as visitors, coalesce(current.visitors, 0) as current,
        count(*) filter (where is_cut)::integer as cut,
        (extract(epoch from max(last) filter (where day between from_day and to_day)) * 1000)::double precision as last,
        null::json as listed,
        json_agg(visitor::text) filter (where is_current and lists_current) as "currentListed",
        json_agg(visitor::text) filter (where is_cut and lists_cut) as "cutListed"
      from seen join asked using (place) left join current using (place) group by place, current.visitors
      union all
      select place, day::text, count(*)::integer, 0, 0, null,
        json_agg(visitor::text) filter (where place || ' ' || day = any(${sql.lit(`{${listedDays.map((day) => `"${day}"`).join()}}`)}::text[])),
        null, null
      from seen group by place, day`),
  );
  return rows;
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
