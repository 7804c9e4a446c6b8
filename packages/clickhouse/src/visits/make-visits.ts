import { FIRST_HIT_DIMENSIONS } from '@hitherto/domain/hits';
import { MEASURE_CODES, VISIT_GAP_MS } from '@hitherto/domain/visits';
import { join, raw, type Sql, sql } from '../connection/sql.ts';
import { VISIT_COLUMNS, visitColumn } from '../tables/tables.ts';

/** The columns of a hit that its visit is made of, in the order of the tuples below. */
const FIELDS = ['time', 'name', 'page', 'props', ...FIRST_HIT_DIMENSIONS, 'view'] as const;

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

/**
 * The code of the measure of each hit in `h`, all hits of a visitor in order, or 0 (`measuredHits` in the domain). `m` has the views
 * of measures, sorted, the greatest seconds of each, and the greatest scroll, each counted from 1.
 */
const MEASURES: Sql = sql`
  arrayMap((view, n, place) -> if(view = 0 or n > 1 or place = 0, 0, m.2[place] * ${MEASURE_CODES} - ${MEASURE_CODES} + m.3[place]),
    views, arrayEnumerateUniq(views), arrayMap(view -> indexOfAssumeSorted(m.1, view), views))`;

/** The measures of a visit's hits, `v`. */
const SECONDS: Sql = sql`arrayMap(c -> intDiv(c - 1, ${MEASURE_CODES}), arrayFilter(c -> c > 0, c))`;
const SCROLL: Sql = sql`arrayMap(c -> modulo(c - 1, ${MEASURE_CODES}), arrayFilter(c -> c > 0, c))`;

/** How each column of a visit is made of `v`, its hits in order, and `c`, the codes of their measures. */
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
  measured: sql`toUInt32(arrayCount(x -> x > 0, c))`,
  seconds: sql`toUInt32(arraySum(${SECONDS}))`,
  scroll: sql`toUInt32(arraySum(${SCROLL}))`,
  measures: raw('c'),
};

/**
 * A statement that makes the visits of visitors again, from all their hits (counting.md, "Words").
 *
 * @param chosen a condition on hits, which holds for all of a visitor's day that are to count, or for none. It is checked before
 *   other columns are read, and before repeated hits are left out.
 */
export function makeVisits(chosen: Sql, version: bigint): Sql {
  const columns = Object.keys(VISIT_COLUMNS);
  const isAfterGap = sql`
    (x, before) -> dateDiff('millisecond', before, ${of('x', 'time')}) > ${VISIT_GAP_MS},
    h, arrayPushFront(arrayPopBack(${of('h', 'time')}), ${of('h[1]', 'time')})`;
  return sql`
    insert into visitor_day (website, day, visitor, version, hits, import, ${join(columns.map((name) => raw(visitColumn(name))))})
    select website, day, visitor, ${version}, hit_count, origin,
      ${join(columns.map((name) => sql`arrayMap((v, c) -> ${MADE[name] ?? raw(name)}, vs, cs)`))}
    from (
      select website, day, visitor, origin, hit_count, arraySplit(${isAfterGap}) as vs,
        arraySplit((y, is_first) -> is_first, arrayMap(y -> toUInt32(y), ${MEASURES}), arrayMap(${isAfterGap})) as cs
      from (
        select website, day, visitor, min(import) as origin, count() as hit_count,
          arraySort(x -> tuple(${HIT_ORDER}), groupArrayIf(tuple(${join(FIELDS.map(raw))}), is_measure = 0)) as h,
          arrayMap(x -> if(${of('x', 'name')} = '', ${of('x', 'view')}, 0), h) as views,
          maxMapIf([view], [toUInt32(seconds) + 1], [toUInt32(scroll) + 1], is_measure = 1) as m
        from hit final prewhere ${chosen} group by website, day, visitor
      )
      where notEmpty(h)
    )`;
}
