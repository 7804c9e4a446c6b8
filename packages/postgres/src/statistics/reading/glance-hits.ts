import { groupBy } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import type { GlanceQuery } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { readParts } from '../book/read.ts';
import { COUNTS } from '../book/store-part.ts';
import { firstHitsOfPart, VISITOR_COLUMNS, visitorsOfPart } from '../columns/part.ts';
import { IS_KEPT, rowsOfDays } from '../website-days.ts';
import { type FoundWebsite, listOf } from './glance-websites.ts';

/** Hits whose visitors are counted: of days of a website, from one moment until before another. */
interface Span {
  readonly websiteNumber: string;
  readonly from: Day;
  readonly to: Day;
  readonly since: number;
  readonly until: number;
}

/** The counts of a website's hits, in the book and outside of it. */
interface CountedHits {
  readonly current: number;
  readonly cut: number;
  /** Of each open day. */
  readonly open: readonly number[];
  /** The last hit that is not in the book, in milliseconds. */
  readonly last: number | undefined;
}

/** PostgreSQL and `Date` know these moments. */
const FIRST = Date.UTC(1970, 0);
const LAST = Date.UTC(9999, 0);

/** Counts hits of websites: reads those that are not in the book once, and those that are where a span needs some. */
export async function countHits(
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

/** The spans of now, of the cut day unless it is cached, and of each day without numbers. */
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
  /** The visitors by their numbers, where the book has some, too. */
  readonly listed: readonly string[] | null;
  readonly currentListed: readonly string[] | null;
  readonly cutListed: readonly string[] | null;
}

interface AskedVisitors {
  readonly website: FoundWebsite;
  readonly query: GlanceQuery;
  /** The visitors that the book has of now, of the cut day and of each open day. */
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
