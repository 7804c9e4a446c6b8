import type { Day, Dimension, Overview, SeriesPoint, TopValue } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { type Sql, sql } from '../connection/sql.ts';
import { type NumbersRow, type RowWithGaps, SUMS, SUMS_WITH_GAPS, toGaps, toTotals, toValue } from '../tables/kinds.ts';
import type { SelectRows } from './rows.ts';
import { listOrder } from './value-list.ts';

/** Reads the numbers of each day that has a hit, in order of time. */
export async function readDays(server: ClickHouse, rows: Sql): Promise<SeriesPoint[]> {
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

interface TopRow {
  readonly kind: Dimension;
  readonly value: string;
  readonly visitors: string;
  readonly events: string;
  readonly total: string;
  readonly gaps: number;
}

/** Reads the days, and the first values of the dimensions in one statement. */
export async function readOverview(
  server: ClickHouse,
  rows: SelectRows,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const [days, top] = await Promise.all([
    readDays(server, rows(['total'])),
    dimensions.length === 0 ? [] : readTop(server, rows(dimensions), limit),
  ]);
  const values = dimensions.map((dimension) => {
    const found = top.filter(({ kind }) => kind === dimension);
    const toRow = ({ value, visitors, events, gaps }: TopRow): TopValue => ({
      value: toValue(value),
      visitors: Number(visitors),
      events: dimension === 'event' ? Number(events) : undefined,
      ...toGaps({ gaps }),
    });
    return [dimension, { rows: found.map(toRow), total: Number(found[0]?.total ?? 0) }] as const;
  });
  return { days, values: new Map(values) };
}

function readTop(server: ClickHouse, rows: Sql, limit: number): Promise<TopRow[]> {
  return server.read<TopRow>(sql`
    select kind, value, visitors, events, gaps, total from (
      select *, row_number() over (partition by kind order by ${listOrder('none')}) as rank,
        count() over (partition by kind) as total
      from (
        select kind, value, sum(visitors) as visitors, sum(events) as events, groupBitOr(gaps) as gaps
        from (${rows}) group by kind, value
      )
    )
    where rank <= ${limit} order by kind, rank`);
}
