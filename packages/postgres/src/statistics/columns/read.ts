import type { Day } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import { readBinaryRows } from '../../connection/binary-rows.ts';
import { columnsOf } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { type ColumnName, type VisitColumns, visitColumns } from './visit-columns.ts';

/** Days of a website that are stored by columns. */
export interface DaysInColumns {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  readonly days: readonly Day[];
}

/** Columns of a row that are not of its visits. */
const OF_ROW = ['visits', 'first_minute'] as const;

/**
 * Yields the visits of days that are stored by columns, row by row. A day is requested while the one before is being counted.
 * Each is a separate statement, so that none runs for as long as the counting.
 */
export async function* readColumns(
  transaction: Transaction,
  { websiteNumber, days }: DaysInColumns,
  names: readonly ColumnName[],
): AsyncIterable<VisitColumns> {
  const distinct = [...new Set(names)];
  const read = async (day: Day): Promise<readonly VisitColumns[]> => {
    const rows = await readBinaryRows(
      transaction,
      sql`
        select ${columnsOf([...OF_ROW, ...distinct])} from visit_columns
        where website_number = ${sql.lit(websiteNumber)} and day = ${sql.lit(day)} order by part`,
    );
    return rows.map(([visits, firstMinute, ...stored]) =>
      visitColumns(
        day,
        visits?.readInt32BE() ?? 0,
        firstMinute?.readInt32BE() ?? 0,
        new Map(distinct.map((name, place) => [name, stored[place] ?? null])),
      ),
    );
  };
  const [first, ...others] = days;
  if (first === undefined) return;
  let next = read(first);
  for (const day of [...others, undefined]) {
    const rows = await next;
    if (day !== undefined) next = read(day);
    // A failure is thrown where the day is awaited, if the counting does not fail first.
    next.catch(() => {});
    yield* rows;
  }
}
