import type { Day } from '@hitherto/domain/calendar';
import { MEASURE_CODES } from '@hitherto/domain/visits';
import { dayLiteral, join, raw, type Sql, sql, timeLiteral } from '../connection/sql.ts';
import { VISIT_COLUMNS, visitColumn } from '../tables/tables.ts';

/** The moment until which the hits of a day count. */
export interface CutVisits {
  readonly day: Day;
  readonly until: Date;
}

/** The columns with an element for each hit of a visit. */
const LISTS = ['times', 'pages', 'names', 'props', 'measures'] as const;

function columnOf(name: string): Sql {
  return raw(`\`${visitColumn(name)}\``);
}

/** What is left of a column: `left` has the number of hits before the moment for each visit. */
function cutColumn(name: string): Sql {
  return sql`arrayFilter((x, n) -> n > 0, ${columnOf(name)}, left)`;
}

function cutList(name: (typeof LISTS)[number]): Sql {
  return sql`arrayMap((x, n) -> arraySlice(x, 1, n), ${cutColumn(name)}, arrayFilter(n -> n > 0, left))`;
}

/** How the columns of a visit follow from its hits that are left; all other columns come from its first hit, which is left. */
const CUT: Readonly<Record<string, Sql>> = {
  duration: sql`arrayMap(x -> x[-1], ${cutList('times')})`,
  pageviews: sql`arrayMap(x -> toUInt32(countEqual(x, '')), ${cutList('names')})`,
  events: sql`arrayMap(x -> toUInt32(length(x) - countEqual(x, '')), ${cutList('names')})`,
  entry_page: sql`arrayMap(x -> arrayFirst(p -> p != '', x), ${cutList('pages')})`,
  exit_page: sql`arrayMap(x -> arrayLast(p -> p != '', x), ${cutList('pages')})`,
  measured: sql`arrayMap(x -> toUInt32(arrayCount(c -> c > 0, x)), ${cutList('measures')})`,
  seconds: sql`arrayMap(x -> toUInt32(arraySum(c -> if(c = 0, 0, intDiv(c - 1, ${MEASURE_CODES})), x)), ${cutList('measures')})`,
  scroll: sql`arrayMap(x -> toUInt32(arraySum(c -> if(c = 0, 0, modulo(c - 1, ${MEASURE_CODES})), x)), ${cutList('measures')})`,
  ...Object.fromEntries(LISTS.map((name) => [name, cutList(name)])),
};

/**
 * Rows of `visitor_day` as a table, in which the visits of a day are as they were at a moment.
 *
 * @param rows the condition on rows
 */
export function cutVisits(rows: Sql, { day, until }: CutVisits): Sql {
  const names = Object.keys(VISIT_COLUMNS);
  const ofRow = sql`website, day, visitor, import`;
  const isOfDay = sql`day = ${dayLiteral(day)}`;
  const left = sql`
    arrayMap((s, ts) -> arrayCount(t -> addMilliseconds(s, t) < ${timeLiteral(until)}, ts), ${columnOf('started')}, ${columnOf('times')})`;
  return sql`(
    select ${ofRow}, ${join(names.map(columnOf))} from visitor_day final where ${rows} and not ${isOfDay}
    union all
    select ${ofRow}, ${join(names.map((name) => sql`${CUT[name] ?? cutColumn(name)} as ${columnOf(name)}`))}
    from (select *, ${left} as left from visitor_day final where ${rows} and ${isOfDay})
  )`;
}
