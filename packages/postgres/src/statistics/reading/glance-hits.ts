import { groupBy } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import type { GlanceQuery } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { readParts } from '../book/read.ts';
import { COUNTS } from '../book/store-part.ts';
import { type HitOfBatch, readWaitingHits } from '../book/waiting-hits.ts';
import { firstHitsOfPart, VISITOR_COLUMNS, visitorsOfPart } from '../columns/part.ts';
import { IS_KEPT, rowsOfDays, type WebsiteDay } from '../website-days.ts';
import { type FoundWebsite, listOf } from './glance-websites.ts';

/** Hits whose visitors are counted: of days of a website, from one moment until before another. */
interface Span {
  readonly websiteNumber: string;
  readonly from: Day;
  readonly to: Day;
  readonly since: number;
  readonly until: number;
}

interface CountedSpan extends Span {
  readonly visitors: Set<bigint>;
}

/** The counts of a website's hits. */
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
    if (query === undefined) return [];
    const spans = spansOf(website, query).map((span) => ({ ...span, visitors: new Set<bigint>() }));
    return [{ website, query, spans }];
  });
  if (asked.length === 0) return [];
  const spans = asked.flatMap((of) => of.spans);
  await addBooked(transaction, spans);
  const ofCuts = await readFirstHits(
    transaction,
    asked.map(({ website, query }) => ({ ...website, day: query.cut.day })),
    firstHits,
  );
  const waiting = await readWaiting(transaction, asked);
  addWaiting(spans, waiting);
  return asked.map(({ website: { websiteNumber }, query, spans: [now, cut, ...open] }, place): CountedHits => {
    const times = (waiting.get(websiteNumber) ?? [])
      .filter(({ day }) => query.from <= day && day <= query.to)
      .map(({ hit }) => hit.time.getTime());
    return {
      current: now?.visitors.size ?? 0,
      cut: countBefore(ofCuts[place], query.cut.until) ?? cut?.visitors.size ?? 0,
      open: open.map(({ visitors }) => visitors.size),
      last: times.length === 0 ? undefined : times.reduce((one, other) => Math.max(one, other)),
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
  const parts = await readParts(transaction, sql`${rowsOfDays(missing)} where ${COUNTS}`, VISITOR_COLUMNS);
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

/** The hits of websites that are not in the book, by the number of the website. */
async function readWaiting(
  { query }: Transaction,
  asked: readonly { readonly website: FoundWebsite; readonly query: GlanceQuery }[],
): Promise<ReadonlyMap<string, readonly HitOfBatch[]>> {
  const numbers = asked.map(({ website }) => website.websiteNumber);
  const { rows } = await query(
    once(sql<WebsiteDay>`
      select distinct website_number::text as "websiteNumber", day::text as day from added_hits
      where website_number = any(${numbers}::bigint[]) and ${IS_KEPT}`),
  );
  const waiting: HitOfBatch[] = [];
  if (rows.length > 0) {
    await readWaitingHits({ query }, rows, (found) => {
      if (found.hit.measure === undefined) waiting.push(found);
    });
  }
  return groupBy(waiting, ({ websiteNumber }) => websiteNumber);
}

/** Adds the visitors of these hits to those of spans. */
function addWaiting(spans: readonly CountedSpan[], waiting: ReadonlyMap<string, readonly HitOfBatch[]>): void {
  for (const { websiteNumber, from, to, since, until, visitors } of spans) {
    for (const { day, hit } of waiting.get(websiteNumber) ?? []) {
      const time = hit.time.getTime();
      if (from <= day && day <= to && since <= time && time < until) visitors.add(hit.visitor);
    }
  }
}

/** Adds the visitors that the book has of spans. */
async function addBooked(transaction: Transaction, spans: readonly CountedSpan[]): Promise<void> {
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
  for (const { websiteNumber, from, to, since, until, visitors } of spans) {
    for (const part of byWebsite.get(websiteNumber) ?? []) {
      const { day, firstTime, lastTime } = part;
      if (day < from || day > to || firstTime >= until || lastTime < since) continue;
      for (const visitor of visitorsOfPart(part, since, until)) visitors.add(visitor);
    }
  }
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
