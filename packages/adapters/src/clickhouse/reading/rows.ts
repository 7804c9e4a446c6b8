import type { FilterSet, GoalRules } from '@hitherto/domain';
import type { ClickHouse } from '../connection/client.ts';
import { join, raw, type Sql, sql, unionAll } from '../connection/sql.ts';
import { type Kind, NUMBER_COLUMNS, NUMBERS } from '../tables/kinds.ts';
import { columnsOfFilters, isChosen } from '../visits/conditions.ts';
import { hoursOfHits } from '../visits/hours.ts';
import { selectNumbers } from '../visits/numbers.ts';
import type { VisitScope } from '../visits/select-visits.ts';
import { findDaySources, IS_KEPT, isVisitOfDays, type WebsiteDays } from './day-sources.ts';

/** The rows of a website that are read. */
export interface Reading extends WebsiteDays {
  readonly filters: readonly FilterSet[];
  readonly goals: GoalRules;
}

/** A select of rows of kinds, days, values and numbers, which are summed up by kind and value. */
export type SelectRows = (kinds: readonly Kind[]) => Sql;

/** The visits of a read that the filters choose, of all days whose visits are kept. */
export function chosenVisits(reading: Reading): VisitScope {
  return { rows: sql`${isVisitOfDays(reading)} and ${IS_KEPT}`, ...filterOf(reading) };
}

function filterOf({ filters, goals }: Reading): Pick<VisitScope, 'filter'> {
  if (filters.length === 0) return {};
  return { filter: { condition: isChosen(filters, goals), columns: columnsOfFilters(filters) } };
}

/** How rows of these kinds are selected: from summaries where there are some, and without filters. */
export async function findRows(server: ClickHouse, reading: Reading, kinds: readonly Kind[]): Promise<SelectRows> {
  const hours = hoursOfHits(reading.zone, reading.from, reading.to);
  if (reading.filters.length > 0) {
    const scope = chosenVisits(reading);
    return (chosen) => selectNumbers(chosen, { scope, hours, isFolded: false });
  }
  const { visits, isFolded, summaries } = await findDaySources(server, reading, kinds);
  return (chosen) => {
    if (visits === undefined && summaries !== undefined) return selectSummaries(chosen, summaries);
    const numbers = selectNumbers(chosen, { scope: { rows: visits ?? sql`false` }, hours, isFolded });
    const ofVisits = sql`select kind, day, value, ${NUMBERS} from (${numbers})`;
    return summaries === undefined ? ofVisits : unionAll([ofVisits, selectSummaries(chosen, summaries)]);
  };
}

function selectSummaries(kinds: readonly Kind[], summaries: Sql): Sql {
  const arrays = ['value', ...NUMBER_COLUMNS].map((name) => raw(`summary.${name} as ${name}`));
  return sql`
    select toString(kind) as kind, day, value, ${NUMBERS}
    from (select * from summary final where ${summaries} and kind in (${join(kinds)})) as summary
    array join ${join(arrays)}`;
}
