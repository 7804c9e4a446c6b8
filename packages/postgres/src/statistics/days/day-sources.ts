import { isId } from '@hitherto/domain/base';
import { addDays, type Day, startOfMonth, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { HASHING } from '../planner.ts';
import type { Scope } from '../visits/chosen-visits.ts';
import { VALUE_SECRET } from './count-days.ts';
import { endOfMonth, hitsIn } from './months.ts';
import { readNumbers } from './number-rows.ts';
import { mismatchedDays } from './unseen-hits.ts';

/** Days that are read visit by visit, with the filters of the query. (`readFilteredDays` takes some from their numbers.) */
export interface VisitSources {
  /** The website's. */
  readonly zone: TimeZone;
  /** Days whose visits are stored by columns. */
  readonly fromColumns: Scope;
  /** Other days. */
  readonly fromVisits: Scope;
}

/** Where the days of a query are read from. */
export interface DaySources extends VisitSources {
  readonly websiteNumber: string;
  /** The whole months of the query whose numbers count, each by its first day. */
  readonly months: readonly Day[];
  /** Days whose numbers count, also those of `months`. */
  readonly counted: readonly Day[];
  /** Days that are read from their running summary. */
  readonly running: readonly Day[];
  /** Those of `running` that are read from `unseenChanges` too. */
  readonly withUnseenHits: readonly Day[];
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
  readonly days: readonly KnownDay[];
  readonly imports: string[];
  readonly isOutside: boolean;
}

/** A day of the query on which there are hits. */
interface KnownDay {
  readonly day: Day;
  readonly hits: number;
  /** Whether its hits are not deleted. */
  readonly isKept: boolean;
  /** Whether it has hits that are not in visits yet. */
  readonly isMarked: boolean;
  /** Whether its numbers have as many hits as its visits. */
  readonly isCounted: boolean;
  /** The same of its columns. */
  readonly inColumns: boolean;
  readonly runningZone: string | null;
}

/** How the days of a query are read. */
export interface DayReading {
  /** The zone of websites without their own. */
  readonly installation: TimeZone;
  /** Whether to read although an engine outside has the statistics. */
  readonly readsInactiveEngine: boolean;
  /** Reads every day whose hits are stored from visits or from columns. */
  readonly allFromVisits: boolean;
}

/**
 * Finds the sources of a query's days. Days without numbers, or with some that lack hits, are read from visits, but for hits that
 * a running summary lacks. Returns `undefined` if there is no such website. Configures the transaction for `chosenVisits`.
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
      select website.number as "websiteNumber", website.time_zone as "timeZone", ${HASHING},
        (select is_outside from statistics_engine) as "isOutside", ${VALUE_SECRET} as "valueSecret", array(
          select import.number::text from import
          where website_number = website.number and status = 'done' and counts -> 'sums' is not null and exists (
            select from import_day where import_number = import.number and day between ${from}::date and ${to}::date
          )
        ) as imports, (
          select coalesce(json_agg(known order by day), '[]') from (
            select day, coalesce(max(hits), 0) as hits, day >= (select kept_from from hit_retention) as "isKept",
              bool_or(is_marked) as "isMarked", coalesce(bool_or(hits = hits_in_numbers), false) as "isCounted",
              coalesce(bool_or(hits = hits_in_columns), false) as "inColumns", max(running_zone) as "runningZone"
            from (
              select day, false as is_marked, hits, hits_in_numbers, hits_in_columns, running_zone from website_day
              where ${isInPeriod}
              union all
              select distinct day, true, null::bigint, null::bigint, null::bigint, null from changed_visitor
              where ${isInPeriod}
            ) found
            group by day
          ) known
        ) as days
      from website where website.id = ${websiteId}`),
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  if (found.isOutside && !readsInactiveEngine) throw movedAway();
  const { websiteNumber, valueSecret, imports } = found;
  const zone = zoneOf(found, installation);
  // The day that counts only in part has no numbers.
  const whole = found.days.filter(({ day }) => until === undefined || day !== to);
  const isCounted = ({ isKept, isMarked, isCounted: hasAllHits }: KnownDay) =>
    isKept ? hasAllHits && !isMarked : !onlyHits;
  const kept = found.days.filter(({ isKept }) => isKept);
  const inColumns = ({ inColumns: hasAllHits, isMarked }: KnownDay) => hasAllHits && !isMarked;
  const isRunning = ({ runningZone, isMarked }: KnownDay) =>
    runningZone !== null && (!isMarked || runningZone === zone.name);

  const counted = whole.filter(isCounted);
  const fromColumns = allFromVisits ? whole.filter((day) => day.isKept && inColumns(day)) : [];
  const running = allFromVisits ? [] : whole.filter((day) => day.isKept && !isCounted(day) && isRunning(day));
  const withUnseenHits = datesOf(running.filter(({ isMarked }) => isMarked));
  const mismatched =
    withUnseenHits.length > 0 ? await mismatchedDays(transaction, { websiteNumber, days: withUnseenHits }) : [];
  const elsewhere = new Set([...(allFromVisits ? [] : counted), ...fromColumns, ...running]);
  const isMatched = (day: Day) => !mismatched.includes(day);
  return {
    ...{ websiteNumber, zone, valueSecret },
    months: allFromVisits ? [] : await countedMonths(transaction, websiteNumber, found.days, counted, { from, to }),
    counted: datesOf(counted),
    running: datesOf(running).filter(isMatched),
    withUnseenHits: withUnseenHits.filter(isMatched),
    fromVisits: {
      ...{ websiteNumber, filters, goals },
      days: [...datesOf(kept.filter((day) => !elsewhere.has(day))), ...mismatched],
      cut: until && { day: to, until },
    },
    fromColumns: { websiteNumber, days: datesOf(fromColumns), filters, goals },
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

/** The sources of the day that is cut, and of all other days. */
export function splitCut(sources: DaySources): {
  readonly cutDay: DaySources | undefined;
  readonly wholeDays: DaySources;
} {
  const { fromVisits, fromColumns } = sources;
  const { cut } = fromVisits;
  if (cut === undefined) return { cutDay: undefined, wholeDays: sources };
  const days = fromVisits.days.filter((day) => day !== cut.day);
  return {
    cutDay: {
      ...sources,
      fromVisits: { ...fromVisits, days: fromVisits.days.filter((day) => day === cut.day) },
      fromColumns: { ...fromColumns, days: [] },
    },
    wholeDays: { ...sources, fromVisits: { ...fromVisits, days, cut: undefined } },
  };
}
