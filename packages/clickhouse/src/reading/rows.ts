import { MAX_VALUES_PER_DAY } from '@hitherto/domain/hits';
import type { GoalRules, Hidden, HidingRule, NumberKind, VisitSet } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { LISTED, NO_GAPS, NUMBER_COLUMNS, NUMBERS, type NumberColumn, UNBOUNDED } from '../tables/kinds.ts';
import { filterOfSets } from '../visits/conditions.ts';
import { hoursOfHits } from '../visits/hours.ts';
import { type NumbersOptions, selectNumbers } from '../visits/numbers.ts';
import type { VisitScope } from '../visits/select-visits.ts';
import { showPageBy } from '../visits/show-page.ts';
import { findDayForms, IS_KEPT, isOfDays, isVisitOfDays, type WebsiteDays } from './day-forms.ts';

/** The rows of a website that are read. */
export interface Reading extends WebsiteDays {
  readonly filters: readonly VisitSet[];
  /** Whether filters choose among the visits that count, and so need visits. */
  readonly isChoice: boolean;
  readonly goals: GoalRules;
  /** Leaves out sums of imported days. */
  readonly onlyHits: boolean;
  /** The rules that hide visits of these days, and which visits count nevertheless. */
  readonly rules: readonly HidingRule[];
  readonly hidden: Hidden | undefined;
  /** The rules by which pages are shown. */
  readonly pageRules: readonly string[];
}

/** The columns that a read selects. */
export interface RowsOptions {
  /** Which numbers; all by default (`NumbersOptions`). Rows of listed numbers may be of several days. */
  readonly counted?: NumbersOptions['counted'];
  /** The kinds whose values are folded on days that are read from visits, which takes longer. */
  readonly folded?: readonly NumberKind[];
}

/**
 * A select of rows of kinds, days, values, numbers and gaps, which are summed up by kind and value. `is_open` is 1 where rows
 * are of a day that is read from visits and can have more values than it keeps, else 0 ({@link overflowed}).
 */
export type SelectRows = (kinds: readonly NumberKind[], options?: RowsOptions) => Sql;

/**
 * The kinds that must be read again folded: hardly any day has as many values as it keeps, so rows are read without folding
 * first.
 *
 * @param rows with the sum of `is_open` over all rows of their kind
 */
export function overflowed(rows: readonly { readonly kind: NumberKind; readonly open_values: string }[]): NumberKind[] {
  const kinds = rows.filter((row) => Number(row.open_values) > MAX_VALUES_PER_DAY).map(({ kind }) => kind);
  return UNBOUNDED.filter((kind) => kinds.includes(kind));
}

/** The visits of a read that the filters choose, of all days whose visits are kept. */
export function chosenVisits(reading: Reading): VisitScope {
  return { rows: sql`${isVisitOfDays(reading)} and ${IS_KEPT}`, cut: reading.cut, ...filterOf(reading) };
}

function filterOf({
  filters,
  goals,
  pageRules,
}: Pick<Reading, 'filters' | 'goals' | 'pageRules'>): Pick<VisitScope, 'filter' | 'showPage'> {
  const showPage = showPageBy(pageRules);
  return filters.length === 0 ? { showPage } : { showPage, filter: filterOfSets(filters, goals) };
}

/** How rows of these kinds are selected: without filters also from summaries where there are some, and from imported sums. */
export async function findRows(
  server: ClickHouse,
  reading: Reading,
  kinds: readonly NumberKind[],
): Promise<SelectRows> {
  const hours = hoursOfHits(reading.zone, reading.from, reading.to);
  const ofVisits = (chosen: readonly NumberKind[], scope: VisitScope, options: RowsOptions, isOpen: boolean) => sql`
    select kind, day, value, ${NUMBERS}, ${NO_GAPS}, ${isOpen ? 1 : 0} as is_open
    from (${selectNumbers(chosen, { scope, hours, folded: [], counted: 'all', ...options })})`;
  if (reading.isChoice) {
    return (chosen, options = {}) => ofVisits(chosen, chosenVisits(reading), options, false);
  }
  const { visits, canOverflow, summaries } = await findDayForms(server, reading, kinds);
  const imported = reading.onlyHits ? [] : reading.imports;
  return (chosen, options = {}) => {
    const rows: Sql[] = [];
    if (summaries !== undefined) rows.push(selectSummaries(chosen, summaries, options));
    if (imported.length > 0) rows.push(selectImported(chosen, { ...reading, imports: imported }));
    if (visits !== undefined || rows.length === 0) {
      rows.push(
        ofVisits(chosen, { rows: visits ?? sql`false`, cut: reading.cut, ...filterOf(reading) }, options, canOverflow),
      );
    }
    return unionAll(rows);
  };
}

function selectImported(kinds: readonly NumberKind[], days: WebsiteDays): Sql {
  return sql`
    select toString(kind) as kind, day, value, ${NUMBERS}, gaps, 0 as is_open from imported_sum final
    where ${isOfDays(days)} and ${isWhole(days)} and import in (${join(days.imports)}) and kind in (${join(kinds)})`;
}

/** The condition that all hits of a row's day count: nobody knows the hours of a sum. */
function isWhole({ cut }: WebsiteDays): Sql {
  return cut === undefined ? sql`true` : sql`day != ${dayLiteral(cut.day)}`;
}

function selectSummaries(kinds: readonly NumberKind[], summaries: Sql, { counted = 'all' }: RowsOptions): Sql {
  const lists = kinds.filter((kind) => kind !== 'total');
  if (counted === 'listed' && lists.length < kinds.length) {
    return unionAll([selectSummaries(['total'], summaries, {}), selectSummaries(lists, summaries, { counted })]);
  }
  const isCounted = (column: NumberColumn) => counted === 'all' || LISTED.includes(column);
  const arrays = ['value', ...NUMBER_COLUMNS.filter(isCounted)].map((name) => raw(`summary.${name} as ${name}`));
  const numbers = NUMBER_COLUMNS.map((name) => (isCounted(name) ? raw(name) : sql`0 as ${raw(name)}`));
  return sql`
    select toString(kind) as kind, day, value, ${join(numbers)}, ${NO_GAPS}, 0 as is_open
    from (select * from summary final where ${summaries} and kind in (${join(kinds)})) as summary
    array join ${join(arrays)}`;
}
