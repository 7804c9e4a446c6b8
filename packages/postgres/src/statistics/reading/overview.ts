import { setImmediate as otherWork } from 'node:timers/promises';
import type { Overview, TopValues } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { spansToRead } from '../days/day-rows.ts';
import type { DaySources } from '../days/day-sources.ts';
import { readNumbers } from '../days/number-rows.ts';
import {
  CODES,
  codeOf,
  IS_LISTED,
  type Kind,
  NUMBER_COLUMNS,
  NUMBERS,
  type RowWithGaps,
  SUMS_WITH_GAPS,
  toGaps,
  toTotals,
} from '../summary-columns.ts';
import { daysOfBoth, readCountedDays } from './counted-values.ts';
import { type KeyedList, keyedList, stringsReader, type ValueRow } from './keyed-list.ts';

/** A day, with its date in `value`; or a value of a dimension, with only its visitors and events. */
export interface OverviewRow extends RowWithGaps {
  readonly dimension: number;
  readonly value: string | null;
  /** How many values the dimension has. */
  readonly total: number;
}

/** The columns of {@link OverviewRow} that values do not have, which come last. */
export const COLUMNS_OF_DAYS = NUMBER_COLUMNS.filter((column) => column !== 'visitors' && column !== 'events');

/**
 * Reads the days of a period and the first values of dimensions.
 *
 * @param rows from `dayRows`, of `total` and the dimensions
 */
export async function readOverview(
  transaction: Transaction,
  sources: DaySources,
  rows: RawBuilder<unknown> | undefined,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  // Without stored numbers to add to, the database need not return all values.
  if (rows !== undefined && sources.counted.length === 0) {
    return readOverviewOfRows(transaction, rows, dimensions, limit);
  }
  const { websiteNumber, valueSecret } = sources;
  const counted = await readCountedDays(transaction, sources);
  const stored = await readNumbers(transaction, websiteNumber, spansToRead(sources, dimensions), ['keys']);
  const added = rows === undefined ? [] : await readAllRows(transaction, rows);
  const rowsOf = (kind: Kind) => added.filter(({ dimension }) => dimension === CODES[kind]);
  const readStrings = stringsReader(transaction, websiteNumber);
  const lists: (readonly [Dimension, KeyedList])[] = [];
  let since = performance.now();
  for (const dimension of dimensions) {
    const ofDimension = stored.filter(({ kind }) => kind === dimension);
    lists.push([dimension, keyedList(ofDimension, rowsOf(dimension), valueSecret, readStrings)]);
    if (performance.now() - since < TURN_MS) continue;
    await otherWork();
    since = performance.now();
  }
  const days = rowsOf('total').map((row) => ({ ...row, start: row.value ?? '' }));
  return {
    days: daysOfBoth(counted, days),
    values: new Map(
      await Promise.all(
        lists.map(async ([dimension, list]) => [dimension, await topOf(dimension, list, limit)] as const),
      ),
    ),
  };
}

/** How long the process may add up before other work has its turn. */
const TURN_MS = 10;

async function topOf(dimension: Dimension, list: KeyedList, limit: number): Promise<TopValues> {
  const top = await list.part(0, limit);
  const rows = top.map(({ value, visitors, events, gaps }) => ({
    value,
    visitors,
    events: dimension === 'event' ? events : undefined,
    ...toGaps(gaps),
  }));
  return { rows, total: list.total };
}

/** Reads all values of rows; those of the kind `total` are days. */
async function readAllRows(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
): Promise<readonly (ValueRow & { readonly dimension: number })[]> {
  const { rows: found } = await transaction.query(
    once(sql<ValueRow & { dimension: number }>`
      select dimension, value, ${SUMS_WITH_GAPS} from (
        select dimension, case when dimension = ${codeOf('total')} then day::text else value end as value,
          ${NUMBERS}, gaps
        from (${rows}) row
      ) valued
      group by dimension, value`),
  );
  return found;
}

/** In one statement: most of its cost is planning, and visits computed on the fly. */
async function readOverviewOfRows(
  transaction: Transaction,
  rows: RawBuilder<unknown>,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const row = cte('row', rows);
  const isTotal = sql`dimension = ${codeOf('total')}`;
  const query = sql<OverviewRow>`
    ${topValues(sql`select dimension, value, visitors, events, gaps from ${row} where not ${isTotal}`, limit)}
    union all
    select ${codeOf('total')}, day::text collate "C", null, null, visitors, events, gaps,
      ${columnsOf(COLUMNS_OF_DAYS)}
    from (select day, ${SUMS_WITH_GAPS} from ${row} where ${isTotal} group by day) by_day
    order by dimension, rank, value`;
  const { rows: found } = await transaction.query(once(query));
  return toOverview(found, dimensions);
}

/**
 * A select of the first values of each dimension, as rows of {@link OverviewRow} and their rank.
 *
 * @param rows a select of dimensions, values, visitors, events and gaps, which are summed up by value
 */
export function topValues(rows: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  return sql`
    select dimension, value, total::double precision, rank, visitors::double precision, events::double precision,
      gaps, ${sql.join(COLUMNS_OF_DAYS.map((column) => sql`null::double precision as ${sql.ref(column)}`))}
    from (
      select *, count(*) over (partition by dimension) as total,
        row_number() over (partition by dimension order by visitors desc, value collate "C") as rank
      from (
        select dimension, value, sum(visitors) as visitors, sum(events) as events,
          bit_or(gaps)::integer as gaps
        from (${rows}) row group by dimension, value having ${IS_LISTED}
      ) summed
    ) listed
    where rank <= ${limit}`;
}

/** The overview in the rows of a statement, which are ordered by dimension, rank and value. */
export function toOverview(rows: readonly OverviewRow[], dimensions: readonly Dimension[]): Overview {
  const rowsOf = (code: number) => rows.filter(({ dimension }) => dimension === code);
  const values = dimensions.map((dimension) => {
    const ofDimension = rowsOf(CODES[dimension]);
    const top = ofDimension.map(({ value, visitors, events, gaps }) => ({
      value,
      visitors,
      events: dimension === 'event' ? events : undefined,
      ...toGaps(gaps),
    }));
    return [dimension, { rows: top, total: ofDimension[0]?.total ?? 0 }] as const;
  });
  return {
    days: rowsOf(CODES.total).map((row) => ({ ...toTotals(row), ...toGaps(row.gaps), start: row.value ?? '' })),
    values: new Map(values),
  };
}
