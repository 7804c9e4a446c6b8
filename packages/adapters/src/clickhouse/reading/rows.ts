import type { FilterSet, GoalRules } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { type Kind, NO_GAPS, NUMBER_COLUMNS, NUMBERS } from '../tables/kinds.ts';
import { columnsOfFilters, isChosen } from '../visits/conditions.ts';
import { hoursOfHits } from '../visits/hours.ts';
import { selectNumbers } from '../visits/numbers.ts';
import type { VisitScope } from '../visits/select-visits.ts';
import { findDaySources, IS_KEPT, isOfDays, isVisitOfDays, type WebsiteDays } from './day-sources.ts';

/** The rows of a website that are read. */
export interface Reading extends WebsiteDays {
  readonly filters: readonly FilterSet[];
  readonly goals: GoalRules;
  /** Leaves out sums of imported days. */
  readonly onlyHits: boolean;
}

/** A select of rows of kinds, days, values, numbers and gaps, which are summed up by kind and value. */
export type SelectRows = (kinds: readonly Kind[]) => Sql;

/** The visits of a read that the filters choose, of all days whose visits are kept. */
export function chosenVisits(reading: Reading): VisitScope {
  return { rows: sql`${isVisitOfDays(reading)} and ${IS_KEPT}`, ...filterOf(reading) };
}

function filterOf({ filters, goals }: Reading): Pick<VisitScope, 'filter'> {
  if (filters.length === 0) return {};
  return { filter: { condition: isChosen(filters, goals), columns: columnsOfFilters(filters) } };
}

/** How rows of these kinds are selected: without filters also from summaries where there are some, and from imported sums. */
export async function findRows(server: ClickHouse, reading: Reading, kinds: readonly Kind[]): Promise<SelectRows> {
  const hours = hoursOfHits(reading.zone, reading.from, reading.to);
  if (reading.filters.length > 0) {
    const scope = chosenVisits(reading);
    return (chosen) => sql`select *, ${NO_GAPS} from (${selectNumbers(chosen, { scope, hours, isFolded: false })})`;
  }
  const { visits, isFolded, summaries } = await findDaySources(server, reading, kinds);
  const imported = reading.onlyHits ? [] : reading.imports;
  return (chosen) => {
    const rows: Sql[] = [];
    if (summaries !== undefined) rows.push(selectSummaries(chosen, summaries));
    if (imported.length > 0) rows.push(selectImported(chosen, { ...reading, imports: imported }));
    if (visits !== undefined || rows.length === 0) {
      const numbers = selectNumbers(chosen, { scope: { rows: visits ?? sql`false` }, hours, isFolded });
      rows.push(sql`select kind, day, value, ${NUMBERS}, ${NO_GAPS} from (${numbers})`);
    }
    return unionAll(rows);
  };
}

function selectImported(kinds: readonly Kind[], days: WebsiteDays): Sql {
  return sql`
    select toString(kind) as kind, day, value, ${NUMBERS}, gaps from imported_sum final
    where ${isOfDays(days)} and import in (${join(days.imports)}) and kind in (${join(kinds)})`;
}

function selectSummaries(kinds: readonly Kind[], summaries: Sql): Sql {
  const arrays = ['value', ...NUMBER_COLUMNS].map((name) => raw(`summary.${name} as ${name}`));
  return sql`
    select toString(kind) as kind, day, value, ${NUMBERS}, ${NO_GAPS}
    from (select * from summary final where ${summaries} and kind in (${join(kinds)})) as summary
    array join ${join(arrays)}`;
}
