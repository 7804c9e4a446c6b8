import { storableString } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import { type FilterSet, NO_TOTALS, type SeriesPoint, type Totals } from '@hitherto/domain/visits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countColumns } from '../columns/count.ts';
import { countDays } from '../columns/totals.ts';
import type { DaySources } from '../days/day-sources.ts';
import { readNumbers } from '../days/number-rows.ts';
import { decodeKeys, placeOfKey, totalsOf } from '../days/stored-numbers.ts';
import { valueKeys } from '../days/value-keys.ts';
import { NUMBER_COLUMNS, NUMBERS, type NumbersRow, toTotals } from '../summary-columns.ts';
import { chosenVisits, type Scope } from '../visits/chosen-visits.ts';

/** Reads the days, of the visits that the filters choose: from stored numbers where these suffice, otherwise from visits. */
export async function readFilteredDays(transaction: Transaction, sources: DaySources): Promise<SeriesPoint[]> {
  const { fromColumns, fromVisits } = sources;
  const fromNumbers = await readNumberedDays(transaction, sources);
  const known = new Set(fromNumbers.map(({ start }) => start));
  const isLeft = (day: Day) => !known.has(day);
  const counter = countDays();
  await countColumns(transaction, { ...fromColumns, days: fromColumns.days.filter(isLeft) }, [counter]);
  const left = fromVisits.days.filter(isLeft);
  const ofVisits = left.length > 0 ? await readDaysOfVisits(transaction, { ...fromVisits, days: left }) : [];
  return sortedDays([...fromNumbers, ...pointsOf(counter.result()), ...ofVisits]);
}

/** Numbers by day as points. */
export function pointsOf(days: ReadonlyMap<Day, Totals>): SeriesPoint[] {
  return Array.from(days, ([start, totals]) => ({ ...totals, start }));
}

/** The days that have a visitor, in order of time. */
export function sortedDays(days: readonly SeriesPoint[]): SeriesPoint[] {
  return days.filter(({ visitors }) => visitors > 0).sort((a, b) => (a.start < b.start ? -1 : 1));
}

type DayRow = NumbersRow & { readonly start: Day };

/**
 * The days whose stored numbers have those of the filter. They have the visits of each value, but not of two values together, and
 * pages and events have numbers of their own there. Values in the rest of a large day have to be looked for in its visits.
 */
async function readNumberedDays(
  transaction: Transaction,
  { websiteNumber, valueSecret, counted, fromColumns, fromVisits }: DaySources,
): Promise<SeriesPoint[]> {
  const single = singleValue(fromVisits.filters);
  if (single === undefined) return [];
  const { dimension, value } = single;
  const asked = new Set([...fromColumns.days, ...fromVisits.days]);
  const part = { isMonth: false, days: counted.filter((day) => asked.has(day)), kinds: [dimension] };
  const rows = await readNumbers(transaction, websiteNumber, [part], ['keys', 'rest']);
  const wanted = valueKeys(valueSecret, [value]);
  const others = valueKeys(valueSecret, [OTHER_VALUES]);
  return rows.flatMap((row) => {
    const keys = decodeKeys(row.size, row.keys);
    const place = placeOfKey(keys, wanted);
    if (place !== undefined) return { ...totalsOf(row)(place), start: row.day };
    return placeOfKey(keys, others) === undefined ? { ...NO_TOTALS, start: row.day } : [];
  });
}

/** The only filter, if it is by one value and stored numbers have its visits. */
function singleValue(
  sets: readonly FilterSet[],
): { readonly dimension: Dimension; readonly value: string | null } | undefined {
  const [filter, ...more] = sets.flatMap(({ filters }) => filters);
  if (filter?.kind !== 'dimension' || filter.isNegated || filter.comparator !== 'is' || more.length > 0)
    return undefined;
  const { dimension, values } = filter;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0 || value === OTHER_VALUES) return undefined;
  if (dimension === 'page' || dimension === 'event') return undefined;
  return { dimension, value: value === null ? null : storableString(value) };
}

async function readDaysOfVisits(transaction: Transaction, scope: Scope): Promise<SeriesPoint[]> {
  const { rows } = await transaction.query(
    once(sql<DayRow>`
      select day::text as start, ${NUMBERS} from (${numbersByDay(byVisitor(chosenVisits(scope)))}) by_day`),
  );
  return rows.map(toPoint);
}

const toPoint = (row: DayRow): SeriesPoint => ({ ...toTotals(row), start: row.start });

/**
 * The numbers of each day and visitor. All visits that are their visitors' only ones of a day share a row, whose visitor is
 * null.
 */
export function byVisitor(visits: Cte): Cte {
  return cte(
    'by_visitor',
    sql`
      select day, case when not is_only then visitor end as visitor, count(*)::double precision as visits,
        sum(pageviews)::double precision as pageviews, sum(events)::double precision as events,
        (count(*) filter (where pageviews = 1 and events = 0))::double precision as bounces,
        (count(*) filter (where pageviews > 0))::double precision as visits_with_pageviews,
        (extract(epoch from sum(ended - started)) * 1000)::double precision as duration
      from ${visits} group by day, case when not is_only then visitor end`,
    { materialized: true },
  );
}

/** A select of the numbers of each day, summed up over its visitors. */
export function numbersByDay(visitors: Cte): RawBuilder<unknown> {
  return sql`
  select day, sum(case when visitor is null then visits else 1 end) as visitors,
    ${sql.join(
      NUMBER_COLUMNS.filter((column) => column !== 'visitors').map(
        (column) => sql`sum(${sql.ref(column)}) as ${sql.ref(column)}`,
      ),
    )}
  from ${visitors} group by day`;
}
