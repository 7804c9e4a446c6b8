import { isId } from '@hitherto/domain/base';
import { addDays, type Day, startOfMonth, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { FilterSet, GoalRules } from '@hitherto/domain/visits';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { MOMENT, type Moment } from '../open-days/moment.ts';
import type { NotedDay } from '../open-days/open-days.ts';
import { VALUE_SECRET } from './count-days.ts';
import { endOfMonth, hitsIn } from './months.ts';
import { readNumbers } from './number-rows.ts';

/** Days that are read visit by visit, with the filters of the query. (`readFilteredDays` takes some from their numbers.) */
export interface VisitSources {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  /** The website's. */
  readonly zone: TimeZone;
  readonly filters: readonly FilterSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
  /** Days whose visits are stored by columns. */
  readonly fromColumns: readonly Day[];
  /** Other days. */
  readonly fromHits: readonly NotedDay[];
  /** A day whose hits count only until a moment. */
  readonly cut: { readonly day: NotedDay; readonly until: Date } | undefined;
  /** The moment of the snapshot. */
  readonly moment: Moment;
}

/** Where the days of a query are read from. */
export interface DaySources {
  readonly websiteNumber: string;
  readonly zone: TimeZone;
  /** The whole months of the query whose numbers count, each by its first day. */
  readonly months: readonly Day[];
  /** Days whose numbers count, also those of `months`. */
  readonly counted: readonly Day[];
  readonly visits: VisitSources;
  /** The last day of the query whose sums of imports may be read: a day that is cut has none. */
  readonly sumsTo: Day;
  /** The numbers of the imports whose sums of days count; none where the days are read visit by visit. */
  readonly imports: readonly string[];
  /** The secret of the keys of values. */
  readonly valueSecret: string;
}

interface FoundRow {
  readonly websiteNumber: string;
  readonly timeZone: string | null;
  readonly valueSecret: string;
  readonly moment: Moment;
  readonly days: readonly KnownDay[];
  readonly imports: string[];
  readonly isOutside: boolean;
}

/** A day of the query on which there are hits. */
interface KnownDay extends NotedDay {
  /** Whether its hits are not deleted. */
  readonly isKept: boolean;
  /** How many hits it had when its numbers were made, and its columns. */
  readonly hitsInNumbers: number;
  readonly hitsInColumns: number;
}

/** How the days of a query are read. */
export interface DayReading {
  /** The zone of websites without their own. */
  readonly installation: TimeZone;
  /** Whether to read although an engine outside has the statistics. */
  readonly readsInactiveEngine: boolean;
  /** Reads every day whose hits are stored from its columns or its hits. */
  readonly allFromVisits: boolean;
}

/**
 * Finds the sources of a query's days: days without numbers, or with some that lack hits, are counted from their hits. Returns
 * `undefined` if there is no such website.
 */
export async function findDaySources(
  transaction: Transaction,
  { websiteId, from, to, until, filters, goals = new Map(), onlyHits = false }: StatisticsQuery,
  { installation, readsInactiveEngine, allFromVisits }: DayReading,
): Promise<DaySources | undefined> {
  if (!isId(websiteId)) return undefined;
  const isInPeriod = sql`website_number = website.number and day between ${from}::date and ${to}::date`;
  const { rows } = await transaction.query(
    once(sql<FoundRow>`
      select website.number as "websiteNumber", website.time_zone as "timeZone", ${MOMENT} as moment,
        (select is_outside from statistics_engine) as "isOutside", ${VALUE_SECRET} as "valueSecret", array(
          select import.number::text from import
          where website_number = website.number and status = 'done' and counts -> 'sums' is not null and exists (
            select from import_day where import_number = import.number and day between ${from}::date and ${to}::date
          )
        ) as imports, (
          select coalesce(json_agg(known order by day), '[]') from (
            select day, sum(hits) as hits, day >= (select kept_from from hit_retention) as "isKept",
              sum(hits_in_numbers) as "hitsInNumbers", sum(hits_in_columns) as "hitsInColumns",
              sum(rewritten_in) as "rewrittenIn"
            from (
              select day, hits, hits_in_numbers, hits_in_columns, rewritten_in from website_day where ${isInPeriod}
              union all
              select day, hits, 0, 0, 0 from added_hits where ${isInPeriod}
            ) found
            group by day
          ) known
        ) as days
      from website where website.id = ${websiteId}`),
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  if (found.isOutside && !readsInactiveEngine) throw movedAway();
  const { websiteNumber, valueSecret, moment, imports } = found;
  const zone = zoneOf(found, installation);
  // The day that counts only in part has no numbers.
  const whole = found.days.filter(({ day }) => until === undefined || day !== to);
  const kept = whole.filter(({ isKept }) => isKept);
  const cutDay = found.days.find(({ day, isKept }) => until !== undefined && day === to && isKept);
  const hasAllHits = ({ isKept, hits, hitsInNumbers }: KnownDay) => (isKept ? hits === hitsInNumbers : !onlyHits);
  const counted = whole.filter(hasAllHits);
  const inColumns = kept.filter(({ hits, hitsInColumns }) => allFromVisits && hits === hitsInColumns);
  const elsewhere = new Set(allFromVisits ? inColumns : counted);
  return {
    ...{ websiteNumber, zone, valueSecret },
    months: allFromVisits ? [] : await countedMonths(transaction, websiteNumber, found.days, counted, { from, to }),
    counted: datesOf(counted),
    visits: {
      ...{ websiteNumber, zone, filters, goals, moment },
      fromColumns: datesOf(inColumns),
      fromHits: kept.filter((day) => !elsewhere.has(day)),
      cut: until && cutDay && { day: cutDay, until },
    },
    sumsTo: until === undefined ? to : addDays(to, -1),
    imports: allFromVisits || onlyHits ? [] : imports,
  };
}

function datesOf(days: readonly KnownDay[]): Day[] {
  return days.map(({ day }) => day);
}

/**
 * The whole months of the period whose numbers count: all days of the month have numbers that count, and as many hits as it. A
 * period that begins with days whose numbers are left out has no whole month there.
 */
async function countedMonths(
  transaction: Transaction,
  websiteNumber: string,
  days: readonly KnownDay[],
  counted: readonly KnownDay[],
  { from, to }: Pick<StatisticsQuery, 'from' | 'to'>,
): Promise<readonly Day[]> {
  const months = new Map<Day, number>();
  for (const { day, hits } of counted) {
    const month = startOfMonth(day);
    if (month >= from && endOfMonth(month) <= to) months.set(month, (months.get(month) ?? 0) + hits);
  }
  const isCounted = new Set(counted);
  for (const day of days) if (!isCounted.has(day)) months.delete(startOfMonth(day.day));
  const totals = await readNumbers(
    transaction,
    websiteNumber,
    [{ isMonth: true, days: [...months.keys()], kinds: ['total'] }],
    ['keys', 'rest'],
  );
  return totals.filter((total) => months.get(total.day) === hitsIn(total)).map(({ day }) => day);
}
