import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import type { Totals } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { DayHits } from '../columns/day-hits.ts';
import { countFolded } from '../columns/folded.ts';
import { type ByValue, type Question, totalsOf, totalsOfDays, totalsOfHours } from '../columns/question.ts';
import { startTurns } from '../columns/turns.ts';
import { createCountedHits } from '../open-days/counted-hits.ts';
import type { Kind, NumberColumn } from '../summary-columns.ts';
import type { StoredRow } from './number-rows.ts';
import { encodeNumbers } from './stored-numbers.ts';
import { valueKeys } from './value-keys.ts';

/** Whose numbers are made: a day of a website, in its zone. */
export interface ZonedDay {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly day: Day;
  readonly zone: TimeZone;
}

/** Counts all visits of a day: the answers to several questions. */
export type CountDay = (questions: readonly Question<ByValue<Totals>>[]) => Promise<readonly ByValue<Totals>[]>;

/** Makes the rows of a day in `day_numbers`. */
export async function numbersOfDay(secret: string, day: ZonedDay, countDay: CountDay): Promise<readonly StoredRow[]> {
  const { websiteNumber } = day;
  const questions = [totalsOfDays, totalsOfHours(day.zone), ...DIMENSIONS.map((dimension) => totalsOf(dimension))];
  const [total = new Map(), hours = new Map(), ...lists] = await countDay(questions);
  const rows: StoredRow[] = [];
  const add = (kind: Kind, values: ByValue<Totals>) => {
    if (values.size > 0) rows.push(encodeDay(secret, { websiteNumber, day: day.day, kind }, values));
  };
  add('total', new Map(Array.from(total.values(), (totals) => [null, totals] as const)));
  add('hour', hours);
  for (const [place, dimension] of DIMENSIONS.entries()) {
    add(dimension, await folded(dimension, lists[place] ?? new Map(), countDay));
  }
  return rows;
}

function folded(dimension: Dimension, values: ByValue<Totals>, countDay: CountDay): Promise<ByValue<Totals>> {
  return countFolded(
    (kept) => totalsOf(dimension, kept),
    async (question) => (question.name === undefined ? ((await countDay([question]))[0] ?? new Map()) : values),
  );
}

/** Counts a day from its hits. */
export function countHitsOfDay(hits: DayHits): CountDay {
  const counted = createCountedHits(hits);
  return async (questions) => {
    const turns = startTurns(Number.POSITIVE_INFINITY);
    const results: ByValue<Totals>[] = [];
    for (const question of questions)
      results.push(await counted.count(question, { filters: [], goals: new Map() }, turns));
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
export function encodeDay(secret: string, { websiteNumber, day, kind }: KindOfDay, list: ByValue<Totals>): StoredRow {
  const [values, totals] = [[...list.keys()], [...list.values()]];
  const numbersOf = (column: NumberColumn) =>
    totals.map((ofValue) => ofValue[column === 'visits_with_pageviews' ? 'visitsWithPageviews' : column]);
  return {
    ...{ websiteNumber, day, kind, isMonth: false },
    ...encodeNumbers(valueKeys(secret, values), values, numbersOf),
  };
}

/** The secret of the keys of values. */
export async function readValueSecret(transaction: Transaction): Promise<string> {
  const { rows } = await transaction.query(once(sql<{ secret: string }>`select ${VALUE_SECRET} as secret`));
  return rows[0]?.secret ?? '';
}

export const VALUE_SECRET = sql<string>`(select value_secret from statistics_engine)::text`;
