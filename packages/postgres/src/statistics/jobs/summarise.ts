import { groupBy } from '@hitherto/domain/base';
import { type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countColumns } from '../book/count.ts';
import { readParts, type StoredPart } from '../book/read.ts';
import { readDayHits } from '../book/read-day-hits.ts';
import { COUNTS, IS_PART } from '../book/store-part.ts';
import { compileChoice } from '../columns/choose.ts';
import { visitsOfPart } from '../columns/part.ts';
import type { ByValue } from '../columns/question.ts';
import { showPages } from '../columns/show-pages.ts';
import type { TotalsName } from '../columns/totals.ts';
import { type CountDay, type DayToCount, numbersOfDay, numbersOfDays, readValueSecret } from '../days/count-days.ts';
import { type Counting, readCounting } from '../days/hiding-rules.ts';
import { addUpMonths } from '../days/months.ts';
import { deleteNumbers, HAS_LISTS, insertNumbers, type StoredRow } from '../days/number-rows.ts';
import type { PartLimits } from '../part-limits.ts';
import { KINDS, type Kind } from '../summary-columns.ts';
import { startTurns } from '../turns.ts';
import { HAS_ALL_HITS, hasDay, IS_KEPT, rowsOfDays, tableOfDays, type WebsiteDay } from '../website-days.ts';
import type { TakeLock } from './work-lock.ts';

/** How many days of websites a call summarises at most, and how many hits they may have before the last of them. */
const MAX_DAYS = 500;
const MAX_HITS = 50_000;

/** The condition on `website_day` that a day has to be summarised. */
export const IS_UNSUMMARISED = sql`hits <> hits_in_numbers and ${IS_KEPT} and ${HAS_ALL_HITS}`;

/** The same of a day whose hits are about to be deleted: its lists cannot be counted later. */
export const NEEDS_LISTS = sql`hits > 0 and (hits <> hits_in_numbers or not ${HAS_LISTS})`;

interface DayToSummarise extends DayToCount {
  readonly hits: number;
  readonly isInBook: boolean;
  /** Whose parts are in the book. */
  readonly origins: readonly string[];
}

/** A day with more hits is counted part by part. */
const MANY_HITS = 5_000;

/**
 * Makes the numbers of days, of the last ones first, which are looked at most: of small ones only their totals. Returns whether
 * more may be left.
 *
 * @param installation the zone of websites without their own
 * @param isReady the condition that a day is over
 * @param areDeleted whether the hits of these days are deleted afterwards: then small days get lists, too
 */
export async function summarise(
  database: Database,
  installation: TimeZone,
  isReady: RawBuilder<unknown>,
  limits: PartLimits,
  takeLock: TakeLock,
  areDeleted = false,
): Promise<boolean> {
  const isNeeded = areDeleted ? sql`${NEEDS_LISTS} and ${IS_KEPT} and ${HAS_ALL_HITS}` : IS_UNSUMMARISED;
  const isChosen = sql`${isNeeded} and ${isReady}`;
  if (!(await hasDay(database, isChosen))) return false;
  return database.transaction(async (transaction) => {
    if (!(await takeLock(transaction))) return false;
    const { rows } = await transaction.query(
      once(sql<Omit<DayToSummarise, 'zone' | 'kinds'> & { timeZone: string | null }>`
        select website_number as "websiteNumber", day::text as day, time_zone as "timeZone", hits::double precision as hits,
          not is_loose as "isInBook", array(
            select import_number::text from book
            where book.website_number = ready.website_number and book.day = ready.day and ${IS_PART} and ${COUNTS}
            group by import_number
          ) as origins
        from (
          select *, sum(hits) over (order by website_number, website_day.day desc) - hits as hits_before
          from website_day
          where ${isChosen}
          order by website_number, website_day.day desc limit ${MAX_DAYS}
        ) ready left join website on website.number = website_number
        where hits_before < ${MAX_HITS}`),
    );
    const days = rows.map((row): DayToSummarise => {
      const kinds: readonly Kind[] = areDeleted || row.hits >= limits.lists ? KINDS : ['total'];
      return { ...row, zone: zoneOf(row, installation), kinds };
    });
    await summariseDays(transaction, days);
    await addUpMonths(transaction, days, limits.listsOfMonths);
    return days.length > 0;
  });
}

/** The caller holds the lock under which hits are noted. `addUpMonths` is left to the caller. */
async function summariseDays(transaction: Transaction, days: readonly DayToSummarise[]): Promise<void> {
  if (days.length === 0) return;
  const secret = await readValueSecret(transaction);
  const countingOf = await readCounting(transaction);
  const rows: StoredRow[] = [];
  const [small, others]: [DayToSummarise[], DayToSummarise[]] = [[], []];
  for (const day of days) {
    const [origin, ...more] = day.origins;
    const isAlone = day.isInBook && origin !== undefined && more.length === 0;
    if (!isAlone) others.push(day);
    else if (day.hits <= MANY_HITS) small.push(day);
    else rows.push(...(await numbersOfDay(secret, day, countIn(transaction, day, origin, countingOf(day)))));
  }
  const partsOf = await readPartsOf(transaction, small);
  for (const day of small) rows.push(...(await numbersOfDay(secret, day, countParts(partsOf(day), countingOf(day)))));
  rows.push(...(await numbersOfDays(secret, others, await readDayHits(transaction, others), countingOf)));
  await deleteNumbers(transaction, days);
  await insertNumbers(transaction, rows);
  await noteNumbers(transaction, days);
}

/** Reads all parts of days. */
async function readPartsOf(
  transaction: Transaction,
  days: readonly WebsiteDay[],
): Promise<(day: WebsiteDay) => readonly StoredPart[]> {
  if (days.length === 0) return () => [];
  const keyOf = ({ websiteNumber, day }: WebsiteDay) => `${websiteNumber} ${day}`;
  const parts = await readParts(transaction, sql`${rowsOfDays(days)} where ${COUNTS}`);
  const byDay = groupBy(parts, keyOf);
  return (day) => byDay.get(keyOf(day)) ?? [];
}

/** Counts the chosen visits of a day from its parts. */
function countParts(parts: readonly StoredPart[], { filters, pageRules }: Counting): CountDay {
  const { choose } = compileChoice(filters, new Map());
  const chosen = parts.map(async (part) => {
    const visits = showPages(visitsOfPart(part), pageRules);
    return [visits, await choose(visits, async () => {})] as const;
  });
  return async (questions) => {
    const counters = questions.map((question) => question.counter());
    for (const [visits, places] of await Promise.all(chosen)) {
      for (const counter of counters) counter.add(visits, places, 1);
    }
    return counters.map((counter) => counter.result());
  };
}

/** Counts a day from its parts in the book, one after the other. */
function countIn(
  transaction: Transaction,
  { websiteNumber, day, hits }: DayToSummarise,
  origin: string,
  counting: Counting,
): CountDay {
  return async (questions) => {
    const counters = questions.map((question) => question.counter());
    const scope = { websiteNumber, days: [{ day, hits, origin, version: '' }], ...counting, goals: new Map() };
    await countColumns(transaction, scope, counters, startTurns(Number.POSITIVE_INFINITY));
    return counters.map((counter): ByValue<TotalsName> => counter.result());
  };
}

/** Notes that the numbers of these days have all their hits. */
export async function noteNumbers(transaction: Transaction, days: readonly WebsiteDay[]): Promise<void> {
  if (days.length === 0) return;
  await transaction.query(
    once(sql`
      update website_day set hits_in_numbers = hits
      from ${tableOfDays(days)} chosen
      where website_day.website_number = chosen.website_number and website_day.day = chosen.day`),
  );
}
