import { setImmediate as otherWork } from 'node:timers/promises';
import type { Day } from '@hitherto/domain/calendar';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { CODES, KINDS, type Kind, NUMBER_COLUMNS, type NumberColumn } from '../summary-columns.ts';
import type { StoredRow } from './number-rows.ts';
import { encodeNumbers } from './stored-numbers.ts';
import { valueKeys } from './value-keys.ts';

/** The values of a kind of a website's day, and their numbers in the same order. */
type ListRow = Readonly<Record<NumberColumn, readonly number[]>> & {
  readonly websiteNumber: string;
  readonly day: Day;
  readonly dimension: number;
  readonly values: readonly (string | null)[];
};

const KINDS_BY_CODE = new Map(KINDS.map((kind) => [CODES[kind], kind]));

/** About how many values are encoded before other work has its turn. */
const VALUES_AT_ONCE = 2_000;

/** A select of the lists of `dayValues` for {@link countDays}. A row for each value would take the driver several times as long. */
export function listsOf(values: Cte): RawBuilder<unknown> {
  return sql`
    select website_number as "websiteNumber", day::text as day, dimension, json_agg(value) as values,
      ${sql.join(NUMBER_COLUMNS.map((column) => sql`json_agg(${sql.ref(column)}) as ${sql.ref(column)}`))}
    from ${values} group by website_number, day, dimension`;
}

/**
 * Makes rows of `day_numbers`.
 *
 * @param lists a select with the columns of {@link listsOf}
 */
export async function countDays(transaction: Transaction, lists: RawBuilder<unknown>): Promise<readonly StoredRow[]> {
  const secret = await readValueSecret(transaction);
  const { rows } = await transaction.query(once(sql<ListRow>`${lists}`));
  const stored: StoredRow[] = [];
  let encoded = 0;
  for (const { dimension, ...list } of rows) {
    const kind = KINDS_BY_CODE.get(dimension);
    if (kind === undefined) continue;
    stored.push(encodeDay(secret, { ...list, kind }, (column) => list[column]));
    encoded += list.values.length;
    if (encoded < VALUES_AT_ONCE) continue;
    encoded = 0;
    await otherWork();
  }
  return stored;
}

/** Values of a kind of a website's day. */
export interface DayValues {
  readonly websiteNumber: string;
  readonly day: Day;
  readonly kind: Kind;
  readonly values: readonly (string | null)[];
}

/**
 * The row of a kind of a day.
 *
 * @param numbersOf the number of each value
 */
export function encodeDay(
  secret: string,
  { websiteNumber, day, kind, values }: DayValues,
  numbersOf: (column: NumberColumn) => readonly number[],
): StoredRow {
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
