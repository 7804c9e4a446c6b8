import { startOfMonth } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { type RawBuilder, sql } from 'kysely';
import { isOfKinds, type Kind, NO_GAPS, SUMMARY_COLUMNS } from '../summary-columns.ts';
import { chosenVisits, inScope } from '../visits/chosen-visits.ts';
import { dayDifferences } from './day-differences.ts';
import type { DaySources } from './day-sources.ts';
import { dayValues } from './day-values.ts';
import type { NumbersToRead } from './number-rows.ts';
import { unseenChanges } from './unseen-hits.ts';

/**
 * A select of the numbers of days, kinds and values, in rows that have to be summed up: of all days of a query but those that have
 * numbers, and of imports. `undefined` if there are none.
 */
export function dayRows(
  { from, filters }: StatisticsQuery,
  { websiteNumber, zone, fromVisits, running, withUnseenHits, sumsTo, imports }: DaySources,
  kinds: readonly Kind[],
): RawBuilder<unknown> | undefined {
  const { days } = fromVisits;
  const rows: RawBuilder<unknown>[] = [];
  const addRows = (table: RawBuilder<unknown>) => rows.push(sql`select ${SUMMARY_COLUMNS}, ${NO_GAPS} from ${table}`);
  if (days.length > 0) {
    const hits = sql`select * from hit where ${inScope('hit', fromVisits)}`;
    const isFolded = filters.length === 0;
    addRows(dayValues({ visits: chosenVisits(fromVisits), hits, days, zone, isFolded }, kinds));
  }
  if (running.length > 0) {
    addRows(sql`running_summary where ${inScope('running_summary', { websiteNumber, days: running })}
      and ${isOfKinds(kinds)}`);
  }
  if (withUnseenHits.length > 0) {
    const unseen = unseenChanges({ websiteNumber, days: withUnseenHits });
    addRows(dayDifferences(unseen, kinds, zone, withUnseenHits));
  }
  if (imports.length > 0) {
    rows.push(sql`
      select ${SUMMARY_COLUMNS}, gaps from imported_sum
      where website_number = ${websiteNumber} and ${isOfKinds(kinds)}
        and day between ${from}::date and ${sumsTo}::date and import_number = any(${imports}::bigint[])`);
  }
  return rows.length === 0 ? undefined : sql.join(rows, sql` union all `);
}

/** The stored numbers of these kinds that a query is read from: of months where there are, else of days. */
export function spansToRead({ months, counted }: DaySources, kinds: readonly Kind[]): readonly NumbersToRead[] {
  const summed = new Set(months);
  const days = counted.filter((day) => !summed.has(startOfMonth(day)));
  return [
    { isMonth: true, days: months, kinds },
    { isMonth: false, days, kinds },
  ];
}
