import type { EventProperty } from '../engine/goal-reads.ts';
import type { StatisticsQuery, StatisticsReads } from '../engine/statistics-repository.ts';
import type { Dimension } from '../hits/dimensions.ts';

/** The whole list: days store some thousand values. */
const ALL = 1_000_000_000;

/** The rows with their visitors on the days of another query; as they are if there is none. */
export async function withBefore<Row extends { readonly value: string | null }>(
  statistics: Pick<StatisticsReads, 'values' | 'propertyValues'>,
  of: Dimension | EventProperty,
  rows: readonly Row[],
  compared: StatisticsQuery | undefined,
): Promise<readonly (Row & { readonly before?: number })[]> {
  if (compared === undefined || rows.length === 0) return rows;
  const list =
    typeof of === 'string'
      ? await statistics.values(compared, of, ALL)
      : await statistics.propertyValues(compared, of.event, of.property, ALL);
  const before = new Map(list.rows.map(({ value, visitors }) => [value, visitors]));
  return rows.map((row) => ({ ...row, before: before.get(row.value) ?? 0 }));
}
