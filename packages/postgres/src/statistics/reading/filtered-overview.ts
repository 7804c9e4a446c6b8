import { compareStrings } from '@hitherto/domain/base';
import type { Overview, TopValues } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { type Cte, columnsOf, cte, once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { countColumns } from '../columns/count.ts';
import { byDimension } from '../columns/grouping.ts';
import { countDays } from '../columns/totals.ts';
import { countVisitors, type VisitorNumbers } from '../columns/visitors.ts';
import type { VisitSources } from '../days/day-sources.ts';
import { codeOf, NO_GAPS } from '../summary-columns.ts';
import { chosenVisits, inScope, type Scope } from '../visits/chosen-visits.ts';
import { FIRST_HIT_COLUMNS, HAS_EVENT_NAMES, HAS_PAGES, IS_OF_VISIT } from '../visits/visits.ts';
import { byVisitor, numbersByDay, pointsOf, sortedDays } from './filtered-days.ts';
import { COLUMNS_OF_DAYS, type OverviewRow, toOverview, topValues } from './overview.ts';

type FirstHitColumn = (typeof FIRST_HIT_COLUMNS)[number];

/** Reads the days and the first values of dimensions, of the visits that the filters choose. */
export async function readFilteredOverview(
  transaction: Transaction,
  { fromColumns, fromVisits }: VisitSources,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  if (fromColumns.days.length === 0) return readOverviewOfVisits(transaction, fromVisits, dimensions, limit);
  const days = countDays();
  const counters = dimensions.map((dimension) => [dimension, countVisitors(byDimension(dimension))] as const);
  await countColumns(transaction, fromColumns, [days, ...counters.map(([, counter]) => counter)]);
  const ofVisits =
    fromVisits.days.length > 0
      ? await readOverviewOfVisits(transaction, fromVisits, dimensions, ALL_VALUES)
      : { days: [], values: new Map<Dimension, TopValues>() };
  const values = counters.map(([dimension, counter]) => {
    const list = new Map(counter.result());
    for (const { value, visitors, events = 0 } of ofVisits.values.get(dimension)?.rows ?? []) {
      const known = list.get(value) ?? { visitors: 0, hits: 0 };
      list.set(value, { visitors: known.visitors + visitors, hits: known.hits + events });
    }
    return [dimension, firstValues(dimension, list, limit)] as const;
  });
  return { days: sortedDays([...pointsOf(days.result()), ...ofVisits.days]), values: new Map(values) };
}

const ALL_VALUES = 2 ** 31 - 1;

function firstValues(dimension: Dimension, list: ReadonlyMap<string | null, VisitorNumbers>, limit: number): TopValues {
  const sorted = [...list].sort(([a, ofA], [b, ofB]) => ofB.visitors - ofA.visitors || compareStrings(a, b));
  const rows = sorted
    .slice(0, limit)
    .map(([value, { visitors, hits }]) => ({ value, visitors, events: dimension === 'event' ? hits : undefined }));
  return { rows, total: list.size };
}

/**
 * Reads the overview of days from visits. Hits are read only for the few visits that do not hold all their pages or events.
 *
 * Nearly all visitors have one visit on a day and are counted by it; only visitors with several have to be distinguished. Every
 * scan of the chosen visits is costly, so work that few of them need is done on a table of `unusual` ones.
 */
async function readOverviewOfVisits(
  transaction: Transaction,
  scope: Scope,
  dimensions: readonly Dimension[],
  limit: number,
): Promise<Overview> {
  const counted = cte('counted_visit', sql`select ${columnsFor(dimensions)} from ${chosenVisits(scope)}`, {
    materialized: true,
  });
  const visitors = byVisitor(counted);
  const visits = countedVisits(counted, visitors, dimensions);
  const counts = [
    sql`select null::smallint, null::text collate "C", null::bigint, null::bigint where false`,
    ...countsOfSingleVisits(visits, dimensions, scope),
    ...dimensions.map((dimension) => countsOfSeveralVisits(visits, dimension, scope)),
  ];
  const countedValue = cte('counted_value', sql.join(counts, sql` union all `), {
    columns: sql`dimension, value, visitors, events`,
  });
  const query = sql<OverviewRow>`
    ${topValues(sql`select *, ${NO_GAPS} from ${countedValue}`, limit)}
    union all
    select ${codeOf('total')}, day::text collate "C", null, null, visitors, events, 0, ${columnsOf(COLUMNS_OF_DAYS)}
    from (${numbersByDay(visitors)}) by_day
    order by dimension, rank, value`;
  const { rows } = await transaction.query(once(query));
  return toOverview(rows, dimensions);
}

/** Chosen visits by how they count. */
interface CountedVisits {
  /** Those whose visitors have no other visit on the day. */
  readonly single: Cte;
  /** Of these, the ones that do not count by their columns alone. */
  readonly singleUnusual: Cte;
  /** Those of visitors with several visits on a day. */
  readonly several: Cte;
}

function countedVisits(counted: Cte, visitors: Cte, dimensions: readonly Dimension[]): CountedVisits {
  const lacksPages = dimensions.includes('page') ? sql`or not ${HAS_PAGES}` : sql``;
  const unusual = cte('unusual', sql`select * from ${counted} visit where not is_only or events > 0 ${lacksPages}`, {
    materialized: true,
  });
  const repeated = cte('repeated', sql`select day, visitor from ${visitors} where visits > 1 and visitor is not null`, {
    materialized: false,
  });
  const isOfSeveral = sql`(day, visitor) in (select day, visitor from ${repeated})`;
  return {
    single: cte('single', sql`select * from ${counted} where is_only or not ${isOfSeveral}`, {
      materialized: false,
    }),
    singleUnusual: cte('single_unusual', sql`select * from ${unusual} where not ${isOfSeveral}`, {
      materialized: false,
    }),
    several: cte('several', sql`select * from ${unusual} where ${isOfSeveral}`, { materialized: true }),
  };
}

const isOfPages = (dimension: Dimension) =>
  dimension === 'page' || dimension === 'entry_page' || dimension === 'exit_page';

/** How many single visits have each first, and each last page. */
interface PagesOfVisits {
  readonly first: Cte;
  readonly last: Cte;
}

function pagesOfVisits(single: Cte): PagesOfVisits {
  // Visits are grouped once, by both pages, which are far fewer.
  const pages = cte(
    'pages_of_visits',
    sql`select entry_page, exit_page, count(*) as visitors from ${single} group by entry_page, exit_page`,
    { materialized: true },
  );
  return {
    first: cte('first_page', sql`select entry_page, sum(visitors)::bigint from ${pages} group by entry_page`, {
      columns: sql`page, visitors`,
    }),
    last: cte(
      'last_page',
      sql`
        select exit_page, exit_page = entry_page, sum(visitors)::bigint from ${pages}
        group by exit_page, exit_page = entry_page`,
      { columns: sql`page, is_first, visitors` },
    ),
  };
}

/** The columns of visits that days and these dimensions are counted from. */
function columnsFor(dimensions: readonly Dimension[]): RawBuilder<unknown> {
  const columns = dimensions.flatMap((dimension): readonly string[] => {
    if (isOfPages(dimension)) return ['entry_page', 'exit_page', ...(dimension === 'page' ? ['other_pages'] : [])];
    return [dimension === 'event' ? 'event_names' : dimension];
  });
  const always = ['website_number', 'day', 'visitor', 'started', 'ended', 'pageviews', 'events', 'is_only'];
  return columnsOf([...new Set([...always, ...columns])]);
}

/** The values of visits whose visitors have no other on the day: each counts as a visitor. */
function countsOfSingleVisits(
  { single, singleUnusual }: CountedVisits,
  dimensions: readonly Dimension[],
  scope: Scope,
): RawBuilder<unknown>[] {
  const ofFirstHit = FIRST_HIT_COLUMNS.filter((column) => dimensions.includes(column));
  const { first, last } = pagesOfVisits(single);
  const ofPages: Partial<Record<Dimension, RawBuilder<unknown>>> = {
    entry_page: sql`select ${codeOf('entry_page')}, page, visitors, 0 from ${first}`,
    exit_page: sql`select ${codeOf('exit_page')}, page, visitors, 0 from ${last}`,
    page: sql`
      select ${codeOf('page')}, page, visitors, 0 from ${first} where page is not null
      union all
      select ${codeOf('page')}, page, visitors, 0 from ${last} where not is_first
      union all
      select ${codeOf('page')}, value, count(*), 0
      from (${otherPages(single)} union all ${otherPagesOfHits(singleUnusual, scope)}) of_visit group by value`,
    event: sql`
      select ${codeOf('event')}, value, count(*), sum(events)::bigint from (${itemsOf(singleUnusual, 'event', scope)}) of_visit
      group by value`,
  };
  return [
    ...(ofFirstHit.length > 0 ? [countsOfFirstHits(single, ofFirstHit)] : []),
    ...dimensions.flatMap((dimension) => ofPages[dimension] ?? []),
  ];
}

/**
 * The values that single visits have from their first hits. There are far fewer combinations of them than visits, so
 * visits are grouped once.
 */
function countsOfFirstHits(single: Cte, columns: readonly FirstHitColumn[]): RawBuilder<unknown> {
  const names = columnsOf(columns);
  const values = sql.join(columns.map((column) => sql`(${codeOf(column)}, ${sql.ref(column)})`));
  return sql`
    select dimension, value, sum(visitors)::bigint, 0
    from (select ${names}, count(*) as visitors from ${single} group by ${names}) combination
      cross join lateral (values ${values}) of_combination (dimension, value)
    group by dimension, value`;
}

/** The values of the other visits: a visitor counts once for each value. */
function countsOfSeveralVisits({ several }: CountedVisits, dimension: Dimension, scope: Scope): RawBuilder<unknown> {
  return sql`
    select ${codeOf(dimension)}, value, count(*), sum(events)::bigint
    from (
      select day, visitor, value, sum(events) as events from (${itemsOf(several, dimension, scope)}) of_visit
      group by day, visitor, value
    ) of_visitor
    group by value`;
}

/** The distinct values of each visit of a table, and the number of the visit's events by that name. */
function itemsOf(visits: Cte, dimension: Dimension, scope: Scope): RawBuilder<unknown> {
  switch (dimension) {
    case 'page':
      return sql`
        select day, visitor, entry_page as value, 0 as events from ${visits} where pageviews > 0
        union all
        select day, visitor, exit_page, 0 from ${visits} where exit_page <> entry_page
        union all
        ${otherPages(visits)}
        union all
        ${otherPagesOfHits(visits, scope)}`;
    case 'event':
      return sql`
        select day, visitor, name as value, count(*) as events
        from (select * from ${visits} where events > 0) visit cross join lateral unnest(event_names) name
        group by day, visitor, started, name
        union all
        select day, visitor, name, count(*)
        from ${hitsOf(visits, scope, HAS_EVENT_NAMES)} where name is not null group by day, visitor, started, name`;
    default:
      return sql`select day, visitor, ${sql.ref(dimension)} as value, 0 as events from ${visits}`;
  }
}

/** The distinct pages that each visit holds but its entry and exit page. */
function otherPages(visits: Cte): RawBuilder<unknown> {
  return sql`
    select day, visitor, page as value, 0 as events
    from (select * from ${visits} where pageviews > 2) visit cross join lateral unnest(other_pages) page`;
}

/** The same of visits that do not hold them. */
function otherPagesOfHits(visits: Cte, scope: Scope): RawBuilder<unknown> {
  return sql`
    select day, visitor, page, 0
    from ${hitsOf(visits, scope, HAS_PAGES)} where name is null and page not in (entry_page, exit_page)
    group by day, visitor, started, page`;
}

/** Visits without their pages or events, joined with their hits, each by the index. */
function hitsOf(visits: Cte, scope: Scope, isKnown: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    (select * from ${visits} visit where not ${isKnown}) visit cross join lateral (
      select hit.page, hit.name from hit where ${inScope('hit', scope)} and ${IS_OF_VISIT} offset 0
    ) hit`;
}
