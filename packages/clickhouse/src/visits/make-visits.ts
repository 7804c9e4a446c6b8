import { FIRST_HIT_DIMENSIONS, MEASURE_LIMITS } from '@hitherto/domain/hits';
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
 * of totals, sorted, the greatest seconds of each, and the greatest scroll, each counted from 1; `s` is made by {@link SUMS}.
 */
const MEASURES: Sql = sql`
  arrayMap((view, n, place, sum) -> if(view = 0 or n > 1 or place = 0, sum, m.2[place] * ${MEASURE_CODES} - ${MEASURE_CODES} + m.3[place]),
    views, arrayEnumerateUniq(views), arrayMap(view -> indexOfAssumeSorted(m.1, view), views), arrayResize(s, length(views)))`;

/**
 * The hits of a visitor who has increments, and the increments, `a`, sorted so that those of a page follow its pageviews without a view
 * in order of time (`incrementsOf` in the domain).
 */
const INCREASED: Sql = sql`
  arraySort(arrayConcat(
    arrayMap((x, n) -> (${of('x', 'name')} != '' or ${of('x', 'view')} > 0, ${of('x', 'page')}, ${of('x', 'time')}, 0, n, 0, 0),
      arrayFilter(x -> is_increased, h), arrayEnumerate(arrayFilter(x -> is_increased, h))),
    arrayMap(x -> (0, x.1, x.2, 1, 0, x.3, x.4), a)))`;

/** The code of the sum of the increments of each hit in order, or 0, of `l`, which {@link INCREASED} makes: each hit begins a piece. */
const SUMS: Sql = sql`
  arrayMap(p -> if(length(p) = 1, 0, 1 + least(arraySum(p.6), ${MEASURE_LIMITS.seconds}) * ${MEASURE_CODES} + arrayMax(p.7)),
    arraySort(p -> p[1].5, arrayFilter(p -> p[1].4 = 0,
      arraySplit((x, before) -> x.4 = 0 or x.2 != before, l, arrayPopBack(arrayPushFront(l.2, ''))))))`;

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
          maxMapIf([view], [toUInt32(seconds) + 1], [toUInt32(scroll) + 1], is_measure = 1) as m,
          groupArrayIf((page, time, toUInt32(seconds), toUInt32(scroll)), is_measure = 1 and view = 0) as a,
          notEmpty(a) as is_increased,
          ${INCREASED} as l, ${SUMS} as s
        from hit final prewhere ${chosen} group by website, day, visitor
      )
      where notEmpty(h)
    )`;
}
