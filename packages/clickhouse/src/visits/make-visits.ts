import { FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import { VISIT_GAP_MS } from '@hitherto/domain/visits';
import { join, raw, type Sql, sql } from '../connection/sql.ts';
import { VISIT_COLUMNS, visitColumn } from '../tables/tables.ts';

/** The columns of a hit that its visit is made of, in the order of the tuples below. */
const FIELDS = ['time', 'name', 'page', 'props', ...FIRST_HIT_DIMENSIONS] as const;

/** A field of a tuple of {@link FIELDS}, or of a list of them. */
function of(tuple: string, field: (typeof FIELDS)[number]): Sql {
  return raw(`${tuple}.${FIELDS.indexOf(field) + 1}`);
}

/** The order of a visitor's hits (`compareHits` in the domain). */
const HIT_ORDER: Sql = join([
  of('x', 'time'),
  sql`${of('x', 'name')} != ''`,
  of('x', 'page'),
  of('x', 'name'),
  ...FIRST_HIT_DIMENSIONS.flatMap((name) => [sql`${of('x', name)} = ''`, of('x', name)]),
  sql`arraySort(cast(${of('x', 'props')}, 'Array(Tuple(String, String))'))`,
]);

/** How each column of a visit is made of `v`, its hits in order. */
const MADE: Readonly<Record<string, Sql>> = {
  started: of('v[1]', 'time'),
  duration: sql`toUInt32(dateDiff('millisecond', ${of('v[1]', 'time')}, ${of('v[-1]', 'time')}))`,
  pageviews: sql`toUInt32(countEqual(${of('v', 'name')}, ''))`,
  events: sql`toUInt32(length(v) - countEqual(${of('v', 'name')}, ''))`,
  entry_page: sql`arrayFirst(x -> ${of('x', 'name')} = '', v).${raw(String(FIELDS.indexOf('page') + 1))}`,
  exit_page: sql`arrayLast(x -> ${of('x', 'name')} = '', v).${raw(String(FIELDS.indexOf('page') + 1))}`,
  ...Object.fromEntries(FIRST_HIT_DIMENSIONS.map((name) => [name, of('v[1]', name)])),
  times: sql`arrayMap(x -> toUInt32(dateDiff('millisecond', ${of('v[1]', 'time')}, ${of('x', 'time')})), v)`,
  pages: sql`arrayMap(x -> if(${of('x', 'name')} = '', ${of('x', 'page')}, ''), v)`,
  names: of('v', 'name'),
  props: sql`arrayMap(x -> if(${of('x', 'name')} = '', map(), ${of('x', 'props')}), v)`,
};

/**
 * A statement that makes the visits of visitors again, from all their hits (counting.md, "Words").
 *
 * @param chosen a condition on hits, which holds for all of a visitor's day that are to count, or for none. It is checked before
 *   other columns are read, and before repeated hits are left out.
 */
export function makeVisits(chosen: Sql, version: bigint): Sql {
  const columns = Object.keys(VISIT_COLUMNS);
  return sql`
    insert into visitor_day (website, day, visitor, version, hits, import, ${join(columns.map((name) => raw(visitColumn(name))))})
    select website, day, visitor, ${version}, length(h), origin,
      ${join(columns.map((name) => sql`arrayMap(v -> ${MADE[name] ?? raw(name)}, vs)`))}
    from (
      select website, day, visitor, min(import) as origin,
        arraySort(x -> tuple(${HIT_ORDER}), groupArray(tuple(${join(FIELDS.map(raw))}))) as h,
        arraySplit(
          (x, before) -> dateDiff('millisecond', before, ${of('x', 'time')}) > ${VISIT_GAP_MS},
          h, arrayPushFront(arrayPopBack(${of('h', 'time')}), ${of('h[1]', 'time')})
        ) as vs
      from hit final prewhere ${chosen} group by website, day, visitor
    )`;
}
