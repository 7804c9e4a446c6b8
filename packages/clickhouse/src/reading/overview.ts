import { compareBytes } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { Overview, TopValue } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { SeriesPoint } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { type Sql, sql } from '../connection/sql.ts';
import {
  NUMBERS,
  type NumbersRow,
  type RowWithGaps,
  SUMS,
  SUMS_WITH_GAPS,
  toGaps,
  toTotals,
  toValue,
} from '../tables/kinds.ts';
import { overflowed, type SelectRows } from './rows.ts';
import { listOrder } from './value-list.ts';

/** Reads the numbers of each day that has a hit, in order of time. */
export async function readPoints(server: ClickHouse, rows: Sql): Promise<SeriesPoint[]> {
  const days = await server.read<RowWithGaps & { day: Day }>(
    sql`select day, ${SUMS_WITH_GAPS} from (${rows}) group by day order by day`,
  );
  return days.map((row) => ({ ...toTotals(row), ...toGaps(row), start: row.day }));
}

/** Reads the numbers of each hour that has a hit, in order of time. */
export async function readHours(server: ClickHouse, rows: Sql): Promise<SeriesPoint[]> {
  const hours = await server.read<NumbersRow & { value: string }>(
    sql`select value, ${SUMS} from (${rows}) group by value order by toInt64(value)`,
  );
  return hours.map((row) => ({ ...toTotals(row), start: new Date(Number(row.value) * 1_000) }));
}

interface TopRow extends RowWithGaps {
  readonly kind: Dimension | 'total';
  /** A day, of the kind `total`. */
  readonly value: string;
  readonly total: string;
  readonly open_values: string;
}

/** Reads the days, and the first values of the dimensions, in one statement. */
export async function readOverview(
  server: ClickHouse,
  rows: SelectRows,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const found = await readTop(server, rows(['total', ...dimensions], { counted: 'listed' }), limit);
  const again = overflowed(found);
  const top = again.length === 0 ? [] : await readTop(server, rows(again, { counted: 'listed', folded: again }), limit);
  const days = found
    .filter(({ kind }) => kind === 'total')
    .map((row) => ({ ...toTotals(row), ...toGaps(row), start: row.value }));
  const values = dimensions.map((dimension) => {
    const listed = (again.includes(dimension) ? top : found).filter(({ kind }) => kind === dimension);
    const toRow = ({ value, visitors, events, gaps }: TopRow): TopValue => ({
      value: toValue(value),
      visitors: Number(visitors),
      events: dimension === 'event' ? Number(events) : undefined,
      ...toGaps({ gaps }),
    });
    return [dimension, { rows: listed.map(toRow), total: Number(listed[0]?.total ?? 0) }] as const;
  });
  return { days: days.sort((a, b) => compareBytes(a.start, b.start)), values: new Map(values) };
}

/** Reads all days, and the first values of the other kinds. */
function readTop(server: ClickHouse, rows: Sql, limit: number): Promise<TopRow[]> {
  return server.read<TopRow>(sql`
    select kind, value, ${NUMBERS}, gaps, total, open_values from (
      select *, item as value, row_number() over (partition by kind order by ${listOrder('none')}) as rank,
        count() over (partition by kind) as total, sum(is_open) over (partition by kind) as open_values
      from (
        select kind, if(kind = 'total', toString(day), value) as item, ${SUMS_WITH_GAPS}, sum(is_open) as is_open
        from (${rows}) group by kind, item
      )
    )
    where rank <= ${limit} or kind = 'total' order by kind, rank`);
}
