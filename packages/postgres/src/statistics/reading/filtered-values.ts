import type { StatisticsQuery, ValuePage, ValuePosition } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import type { SeriesPoint, Totals } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { countColumns } from '../columns/count.ts';
import type { Counter } from '../columns/counter.ts';
import { byDimension } from '../columns/grouping.ts';
import { countHours, countTotals } from '../columns/totals.ts';
import { dayRows } from '../days/day-rows.ts';
import type { DaySources } from '../days/day-sources.ts';
import type { Kind } from '../summary-columns.ts';
import { addUp, pageOfValues, readValues } from './value-list.ts';

type Values = ReadonlyMap<string | null, Totals>;

/** Reads a page of the list of a dimension, of the visits that the filters choose. */
export async function readFilteredValues(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  dimension: Dimension,
  limit: number,
  position: ValuePosition | undefined,
): Promise<ValuePage> {
  const counter = countTotals(byDimension(dimension));
  return pageOfValues(await readChosen(transaction, query, sources, dimension, counter), limit, position);
}

/** Reads the hours of the visits that the filters choose. */
export async function readFilteredHours(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
): Promise<SeriesPoint[]> {
  return hourPoints(await readChosen(transaction, query, sources, 'hour', countHours(sources.zone)));
}

async function readChosen(
  transaction: Transaction,
  query: StatisticsQuery,
  sources: DaySources,
  kind: Kind,
  counter: Counter<Values>,
): Promise<Values> {
  await countColumns(transaction, sources.fromColumns, [counter]);
  const rows = dayRows(query, sources, [kind]);
  return rows === undefined ? counter.result() : addUp([counter.result(), await readValues(transaction, rows)]);
}

/** Numbers by the kind `hour` as points, in order of time. */
export function hourPoints(hours: Values): SeriesPoint[] {
  const points = Array.from(hours, ([hour, totals]) => ({ ...totals, start: new Date(Number(hour) * SECOND_MS) }));
  return points.sort((a, b) => a.start.getTime() - b.start.getTime());
}

const SECOND_MS = 1_000;
