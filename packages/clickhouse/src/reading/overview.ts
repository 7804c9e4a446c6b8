import { compareBytes } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import {
  type ChangedVisitors,
  type ComparedLists,
  MOST_CHANGED,
  mostChanged,
  type Overview,
  type TopValue,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { areVisitorsAtMost, GAPS, type NumberKind, type SeriesPoint } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, type Sql, sql } from '../connection/sql.ts';
import {
  NUMBER_COLUMNS,
  NUMBERS,
  type NumbersRow,
  type RowWithGaps,
  SUMS,
  SUMS_WITH_GAPS,
  toGaps,
  toTotals,
  toValue,
} from '../tables/kinds.ts';
import { overflowed, type RowsOptions, type SelectRows } from './rows.ts';
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
  readonly before: string;
  readonly gaps_before: number;
  readonly total: string;
  readonly open_values: string;
  readonly is_first: 0 | 1;
}

/** The rows of the days that are compared, and what is compared of them. */
interface ComparedRows extends ComparedLists {
  readonly rows: SelectRows;
}

/** Reads the days, and the first values of the dimensions, in one statement. */
export async function readOverview(
  server: ClickHouse,
  rows: SelectRows,
  dimensions: readonly Dimension[],
  limit: number,
  compared?: ComparedRows,
): Promise<Overview> {
  const read = (kinds: readonly NumberKind[], options: RowsOptions) => {
    const of = (select: SelectRows, ofKinds: readonly NumberKind[]) =>
      select(ofKinds, { counted: 'listed', ...options });
    const ofCompared = compared?.dimensions.filter((dimension) => kinds.includes(dimension)) ?? [];
    const before =
      compared === undefined || ofCompared.length === 0
        ? undefined
        : { changed: compared.changed, rows: of(compared.rows, ofCompared) };
    return readTop(server, of(rows, kinds), limit, before);
  };
  const found = await read(['total', ...dimensions], {});
  const again = overflowed(found);
  const top = again.length === 0 ? [] : await read(again, { folded: again });
  const days = found
    .filter(({ kind }) => kind === 'total')
    .map((row) => ({ ...toTotals(row), ...toGaps(row), start: row.value }));
  const values = dimensions.map((dimension) => {
    const listed = (again.includes(dimension) ? top : found).filter(({ kind }) => kind === dimension);
    const toRow = ({ value, visitors, events, gaps, before }: TopRow): TopValue => ({
      value: toValue(value),
      visitors: Number(visitors),
      events: dimension === 'event' ? Number(events) : undefined,
      ...toGaps({ gaps }),
      ...(compared?.dimensions.includes(dimension) ? { before: Number(before) } : {}),
    });
    const first = listed.filter(({ is_first }) => is_first === 1).map(toRow);
    const changed = compared?.changed.includes(dimension)
      ? { changed: mostChanged(listed.filter(isExact).map(toChanged)) }
      : {};
    return [dimension, { rows: first, total: Number(listed[0]?.total ?? 0), ...changed }] as const;
  });
  return { days: days.sort((a, b) => compareBytes(a.start, b.start)), values: new Map(values) };
}

function isExact({ gaps, gaps_before }: TopRow): boolean {
  return !areVisitorsAtMost({ gaps: gaps | gaps_before });
}

function toChanged({ value, visitors, before }: TopRow): ChangedVisitors {
  return { value: toValue(value), visitors: Number(visitors), before: Number(before) };
}

interface ComparedSelect {
  readonly rows: Sql;
  readonly changed: readonly Dimension[];
}

/** Reads all days, the first values of the other kinds and, of some, those that changed most. */
function readTop(
  server: ClickHouse,
  rows: Sql,
  limit: number,
  compared: ComparedSelect | undefined,
): Promise<TopRow[]> {
  const columns = sql`kind, day, value, ${NUMBERS}, gaps, is_open`;
  const before =
    compared &&
    sql`
    union all
    select kind, day, value, ${join(NUMBER_COLUMNS.map(() => raw('0')))}, 0 as gaps, is_open, visitors as before, gaps as gaps_before, 0 as is_own
    from (${compared.rows})`;
  const isListed = sql`is_own = 1`;
  const change = raw('toInt64(visitors) - toInt64(before)');
  const rankOf = (direction: '1' | '-1') => sql`
    row_number() over (partition by kind order by
      bitAnd(bitOr(gaps, gaps_before), ${GAPS.visitorsAtMost}) != 0, (${change}) * ${raw(direction)} desc, value = '', value)`;
  const isChanged =
    compared === undefined || compared.changed.length === 0
      ? sql`false`
      : sql`kind in (${join(compared.changed)}) and (rise <= ${MOST_CHANGED + 1} or fall <= ${MOST_CHANGED + 1})`;
  return server.read<TopRow>(sql`
    select kind, value, ${NUMBERS}, gaps, before, gaps_before, total, open_values,
      toUInt8(${isListed} and rank <= ${limit}) as is_first
    from (
      select *, item as value,
        row_number() over (partition by kind order by ${isListed} desc, ${listOrder('none')}) as rank,
        ${rankOf('1')} as rise, ${rankOf('-1')} as fall,
        countIf(${isListed}) over (partition by kind) as total,
        sum(is_open) over (partition by kind) as open_values
      from (
        select kind, if(kind = 'total', toString(day), value) as item, ${SUMS_WITH_GAPS},
          sum(before) as before, groupBitOr(gaps_before) as gaps_before, sum(is_open) as is_open, max(is_own) as is_own
        from (select ${columns}, 0 as before, 0 as gaps_before, 1 as is_own from (${rows}) ${before ?? sql``}) group by kind, item
      )
    )
    where kind = 'total' or is_first or ${isChanged} order by kind, rank`);
}
