import type { ValueCut, ValuePage, ValueTotals } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { storableText } from '../../texts.ts';
import { spanOf, valuePage } from '../../value-page.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { NUMBER_COLUMNS } from './day-values.ts';
import { type NumbersRow, SUMS, toTotals } from './numbers.ts';

/** Every row has the list's length and the row before the cut; an empty page has one row of nulls. */
interface ListedRow extends NumbersRow {
  readonly value: string | null;
  readonly position: number | null;
  readonly total: number;
  readonly boundary: number;
}

/**
 * Reads a page of a list of values.
 *
 * @param tables what a `with` clause begins with
 * @param rows a select of values and numbers, which are summed up by value
 */
export async function readValuePage(
  transaction: Transaction,
  tables: RawBuilder<unknown>,
  rows: RawBuilder<unknown>,
  limit: number,
  cut: ValueCut | undefined,
): Promise<ValuePage> {
  // From the row directly before the page on.
  const [from, to] = cut?.side === 'up_to' ? [-limit, 0] : [0, limit];
  const query = sql<ListedRow>`
    with ${tables},
    listed as (
      select value, ${SUMS}, row_number() over (order by sum(visitors) desc, value collate "C") as position
      from (${rows}) row group by value
    ),
    around as (
      select count(*)::double precision as total,
        (count(*) filter (where ${isUpTo(cut)}))::double precision as boundary
      from listed
    )
    select around.total, around.boundary, listed.value, listed.position::double precision,
      ${sql.join(NUMBER_COLUMNS.map((column) => sql.ref(`listed.${column}`)))}
    from around left join listed
      on listed.position between around.boundary + ${from}::integer and around.boundary + ${to}::integer
    order by listed.position`;
  const { rows: found } = await transaction.query(once(query));
  const { total, boundary } = found[0] ?? { total: 0, boundary: 0 };
  const { start, end } = spanOf(boundary, limit, cut);
  const toValue = (row: ListedRow): ValueTotals => ({ ...toTotals(row), value: row.value });
  const inSpan = found.filter(({ position }) => position !== null && position > start && position <= end);
  const before = found.find(({ position }) => position !== null && position === start);
  return valuePage(inSpan.map(toValue), before && toValue(before), end < total, total, cut);
}

/** The condition that a row comes before the cut or stands at it, in the order of the list. */
function isUpTo(cut: ValueCut | undefined): RawBuilder<unknown> {
  if (cut === undefined) return sql`false`;
  const isFirst = cut.value === null ? sql`true` : sql`value <= ${storableText(cut.value)}::text collate "C"`;
  return sql`visitors > ${cut.visitors}::double precision
    or visitors = ${cut.visitors}::double precision and ${isFirst}`;
}
