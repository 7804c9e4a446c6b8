import { setImmediate as otherWork } from 'node:timers/promises';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import type { Dimension } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { HitsOfWebsiteDay } from '../book/read-day-hits.ts';
import type { DayHits } from '../columns/day-hits.ts';
import { countFolded } from '../columns/folded.ts';
import { type ByValue, type Question, totalsOf, totalsOfDays, totalsOfHours } from '../columns/question.ts';
import type { TotalsName } from '../columns/totals.ts';
import { createCountedHits } from '../open-days/counted-hits.ts';
import type { Kind } from '../summary-columns.ts';
import { startTurns } from '../turns.ts';
import type { WebsiteDay } from '../website-days.ts';
import type { Counting } from './hiding-rules.ts';
import type { StoredRow } from './number-rows.ts';
import { byColumn, encodeNumbers } from './stored-numbers.ts';
import { valueKeys } from './value-keys.ts';

/** Whose numbers are made: a day of a website, in its zone. */
export interface ZonedDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly day: Day;
  readonly zone: TimeZone;
}

/** A day, and the kinds of which numbers are made. */
export interface DayToCount extends ZonedDay {
  readonly kinds: readonly Kind[];
}

/** So many values are encoded in no time. */
const FEW = 500;

/** Counts all visits of a day: the answers to several questions. */
export type CountDay = (questions: readonly Question<ByValue<TotalsName>>[]) => Promise<readonly ByValue<TotalsName>[]>;

/** Makes the rows of a day in `day_numbers`. */
export async function numbersOfDay(secret: string, day: DayToCount, countDay: CountDay): Promise<readonly StoredRow[]> {
  const answers = await countDay(day.kinds.map((kind) => questionOf(kind, day)));
  const rows: StoredRow[] = [];
  for (const [place, kind] of day.kinds.entries()) {
    const answer = answers[place];
    // A day whose visits are all hidden has a list of hours, too, as a mark that it has lists.
    if (answer === undefined || (answer.keys.length === 0 && kind !== 'hour')) continue;
    const values = kind === 'total' || kind === 'hour' ? answer : await folded(kind, answer, countDay);
    const row = { websiteNumber: day.websiteNumber, day: day.day, kind };
    rows.push(encodeDay(secret, row, kind === 'total' ? { ...values, keys: [null] } : values));
    // A long list takes some milliseconds.
    if (values.keys.length > FEW) await otherWork();
  }
  return rows;
}

function questionOf(kind: Kind, { zone }: ZonedDay): Question<ByValue<TotalsName>> {
  switch (kind) {
    case 'total':
      return totalsOfDays;
    case 'hour':
      return totalsOfHours(zone);
    default:
      return totalsOf(kind);
  }
}

function folded(dimension: Dimension, values: ByValue<TotalsName>, countDay: CountDay): Promise<ByValue<TotalsName>> {
  return countFolded(
    (kept) => totalsOf(dimension, kept),
    async (question) => (question.name === undefined ? ((await countDay([question]))[0] ?? values) : values),
  );
}

/**
 * Makes the rows of days of their hits.
 *
 * @param countingOf the rules of a day
 */
export async function numbersOfDays(
  secret: string,
  days: readonly DayToCount[],
  hits: readonly HitsOfWebsiteDay[],
  countingOf: (day: WebsiteDay) => Counting,
): Promise<readonly StoredRow[]> {
  const toCount = new Map(days.map((day) => [`${day.websiteNumber} ${day.day}`, day]));
  const rows: StoredRow[] = [];
  for (const { websiteNumber, hits: ofDay } of hits) {
    const day = toCount.get(`${websiteNumber} ${ofDay.day}`);
    if (day !== undefined) rows.push(...(await numbersOfDay(secret, day, countHitsOfDay(ofDay, countingOf(day)))));
  }
  return rows;
}

/** Counts a day from its hits. */
function countHitsOfDay(hits: DayHits, { filters, pageRules }: Counting): CountDay {
  const counted = createCountedHits(hits, pageRules);
  return async (questions) => {
    const turns = startTurns(Number.POSITIVE_INFINITY);
    const results: ByValue<TotalsName>[] = [];
    for (const question of questions) results.push(await counted.count(question, { filters, goals: new Map() }, turns));
    return results;
  };
}

/** Whose numbers a row has. */
export interface KindOfDay {
  readonly websiteNumber: string;
  readonly day: Day;
  readonly kind: Kind;
}

/** The row of a kind of a day. */
export function encodeDay(
  secret: string,
  { websiteNumber, day, kind }: KindOfDay,
  { keys: values, numbers }: ByValue<TotalsName>,
): StoredRow {
  const columns = byColumn(numbers);
  return {
    ...{ websiteNumber, day, kind, isMonth: false },
    ...encodeNumbers(valueKeys(secret, values), values, (column) => columns[column]),
  };
}

/** The secret of the keys of values. */
export async function readValueSecret(transaction: Transaction): Promise<string> {
  const { rows } = await transaction.query(once(sql<{ secret: string }>`select ${VALUE_SECRET} as secret`));
  return rows[0]?.secret ?? '';
}

export const VALUE_SECRET = sql<string>`(select value_secret from statistics_engine)::text`;
