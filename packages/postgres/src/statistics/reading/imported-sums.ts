import type { Day } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import type { DayForms } from '../days/day-forms.ts';
import { CODES, isOfKinds, type Kind, type RowWithGaps, SUMS_WITH_GAPS } from '../summary-columns.ts';

/** Sums of imports by value, each once; a value of the kind `total` is a day. */
export type SumRow = RowWithGaps & { readonly value: string | null };

/** Reads the sums of imported days, by kind. */
export async function readImportedSums(
  transaction: Transaction,
  { from }: Pick<StatisticsQuery, 'from'>,
  { websiteNumber, imports, sumsTo }: DayForms,
  kinds: readonly Kind[],
): Promise<(kind: Kind) => readonly SumRow[]> {
  if (imports.length === 0) return () => [];
  const { rows } = await transaction.query(once(select({ websiteNumber, from, to: sumsTo, imports }, kinds)));
  return (kind) => rows.filter(({ dimension }) => dimension === CODES[kind]);
}

function select(
  { websiteNumber, from, to, imports }: { websiteNumber: string; from: Day; to: Day; imports: readonly string[] },
  kinds: readonly Kind[],
): RawBuilder<SumRow & { readonly dimension: number }> {
  return sql`
    select dimension, case when dimension = ${CODES.total} then day::text collate "C" else value end as value, ${SUMS_WITH_GAPS}
    from imported_sum
    where website_number = ${websiteNumber} and ${isOfKinds(kinds)}
      and day between ${from}::date and ${to}::date and import_number = any(${imports}::bigint[])
    group by 1, 2`;
}
