import { groupBy, isId } from '@hitherto/domain/base';
import { addDays, type Day, startOfMonth, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsQuery, WebsitePeriod } from '@hitherto/domain/engine';
import { MAX_VALUES_PER_DAY } from '@hitherto/domain/hits';
import {
  chosenSets,
  type GoalRules,
  type HidingRule,
  isOnDay,
  rulesOfPeriod,
  type SeriesPoint,
  type VisitSet,
} from '@hitherto/domain/visits';
import { sql } from 'kysely';
import { once } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';
import { type BookedDay, COLLECTED } from '../book/read.ts';
import { remembered } from '../columns/visit-columns.ts';
import type { NotedDay } from '../open-days/looked-at.ts';
import { MOMENT, type Moment } from '../open-days/moment.ts';
import { CODES } from '../summary-columns.ts';
import { VALUE_SECRET } from './count-days.ts';
import { rulesAsJson } from './hiding-rules.ts';
import { contentOf, endOfMonth } from './months.ts';
import { HEX_NUMBERS, type HexNumbers, ofHex } from './number-rows.ts';
import { totalsOf } from './stored-numbers.ts';

/** Days that are read visit by visit, with the filters of the query. (`readFilteredDays` takes some from their numbers.) */
export interface VisitDays {
  /** A bigint, as the driver writes it. */
  readonly websiteNumber: string;
  /** The website's. */
  readonly zone: TimeZone;
  readonly filters: readonly VisitSet[];
  /** The goals that filters name. */
  readonly goals: GoalRules;
  /** The rules by which pages are shown. */
  readonly pageRules: readonly string[];
  /** Days that are read from the book. */
  readonly fromBook: readonly BookedDay[];
  /** Other days. */
  readonly fromHits: readonly NotedDay[];
  /** A day whose hits count only until a moment. */
  readonly cut: CutDay | undefined;
  /** The moment of the snapshot. */
  readonly moment: Moment;
}

export interface CutDay {
  readonly day: NotedDay;
  readonly until: Date;
  /** If it can be read from the book. */
  readonly booked: BookedDay | undefined;
}

/** The forms in which the days of a query are read. */
export interface DayForms {
  readonly websiteNumber: string;
  readonly zone: TimeZone;
  /** The whole months of the query whose lists count, each by its first day. */
  readonly months: readonly Day[];
  /** Days whose lists count, also those of `months`. */
  readonly counted: readonly Day[];
  /** The totals of days whose hits need not be read for them. */
  readonly totals: readonly SeriesPoint[];
  readonly visits: VisitDays;
  /** The last day of the query whose sums of imports may be read: a day that is cut has none. */
  readonly sumsTo: Day;
  /** The numbers of the imports whose sums of days count; none where the days are read visit by visit. */
  readonly imports: readonly string[];
  /** The secret of the keys of values. */
  readonly valueSecret: string;
  /** The filters of the query; those of `visits` also leave out what is hidden, as numbers do. */
  readonly filters: readonly VisitSet[];
}

/** What a snapshot has of a website, and of days of it. */
export interface FoundDays {
  readonly websiteNumber: string;
  readonly timeZone: string | null;
  readonly valueSecret: string;
  readonly moment: Moment;
  /** The days on which there are hits. */
  readonly days: readonly KnownDay[];
  /** The numbers of whole months. */
  readonly months: readonly { readonly day: Day; readonly total: HexNumbers }[];
  /** The days that imports cover which are done. */
  readonly imports: readonly ImportedDay[];
  /** The website's, whatever days were asked for. */
  readonly firstDay: Day | null;
  readonly isOutside: boolean;
  /** The rules that hide visits of the website. */
  readonly rules: readonly HidingRule[];
  /** The rules by which its pages are shown. */
  readonly pageRules: readonly string[];
}

/** A day on which there are hits. */
interface KnownDay extends NotedDay {
  /** Whether its hits are not deleted. */
  readonly isKept: boolean;
  /** How many hits it had when its numbers were made. */
  readonly hitsInNumbers: number;
  /** Whether all of them are in the book, those of each visitor together. */
  readonly isInBook: boolean;
  /** If it has numbers. */
  readonly total: HexNumbers | null;
  /** Whether it has numbers of all kinds. */
  readonly hasLists: boolean;
}

/** A day that an import covers, with hits or with sums. */
interface ImportedDay {
  readonly day: Day;
  readonly importNumber: string;
  readonly hits: number;
  readonly hasSums: boolean;
}

/** Finds a website and days of it. Returns `undefined` if there is no such website. */
export async function findDays(
  transaction: Transaction,
  { websiteId, from, to }: WebsitePeriod,
): Promise<FoundDays | undefined> {
  if (!isId(websiteId)) return undefined;
  const isInPeriod = sql`day between ${sql.lit(from)}::date and ${sql.lit(to)}::date`;
  const isOfWebsite = sql`website_number = website.number`;
  const hasSums = sql`${isOfWebsite} and status = 'done' and counts -> 'sums' is not null`;
  const isTotal = sql`${isOfWebsite} and kind = ${sql.lit(CODES.total)}`;
  // Without parameters, it is sent together with the start of the transaction.
  const { rows } = await transaction.query(
    once(sql<FoundDays>`
      select website.number as "websiteNumber", website.time_zone as "timeZone", ${MOMENT} as moment,
        (select is_outside from statistics_engine) as "isOutside", ${rulesAsJson(sql`website.number`)} as rules,
        to_json(page_rules) as "pageRules", ${VALUE_SECRET} as "valueSecret", least(
          (select min(day) from website_day where ${isOfWebsite}),
          (select min(day) from import join import_day on import_number = import.number where ${hasSums}),
          (select min(day) from added_hits where ${isOfWebsite} and day >= (select kept_from from hit_retention))
        )::text as "firstDay", (
          select coalesce(json_agg(json_build_object(
            'day', day, 'importNumber', number::text, 'hits', hits, 'hasSums', counts -> 'sums' is not null
          )), '[]')
          from import join import_day on import_number = import.number
          where ${isOfWebsite} and status = 'done' and ${isInPeriod}
        ) as imports, (
          select coalesce(json_agg(json_build_object('day', day, 'total', ${HEX_NUMBERS})), '[]') from day_numbers
          where ${isTotal} and is_month and ${isInPeriod}
        ) as months, (
          select coalesce(json_agg(known order by day), '[]') from (
            select day, sum(hits) as hits, day >= (select kept_from from hit_retention) as "isKept",
              sum(hits_in_numbers) as "hitsInNumbers", not bool_or(is_loose) as "isInBook",
              sum(rewritten_in) as "rewrittenIn", (
                select ${HEX_NUMBERS} from day_numbers where ${isTotal} and not is_month and day = found.day
              ) as total, exists (
                select from day_numbers
                where ${isOfWebsite} and kind = ${sql.lit(CODES.hour)} and not is_month and day = found.day
              ) as "hasLists"
            from (
              select day, hits, hits_in_numbers, is_loose, rewritten_in from website_day
              where ${isOfWebsite} and ${isInPeriod}
              union all
              select day, hits, 0, true, 0 from added_hits where ${isOfWebsite} and ${isInPeriod}
            ) found
            group by day
          ) known
        ) as days
      from website where website.id = ${sql.lit(websiteId)}`),
  );
  return rows[0];
}

/** How the days of a query are read. */
export interface DayReading {
  /** The zone of websites without their own. */
  readonly installation: TimeZone;
  readonly needs: Needs;
}

/** What a query needs of its days. Only `visits` are read from the hits of every day that has them. */
export type Needs = 'totals' | 'hours' | 'lists' | 'visits';

/**
 * The forms of a query's days: days without numbers, or with some that lack hits, are counted from their hits, and small days have
 * only totals.
 *
 * @param found of these days, or more
 */
export function dayForms(
  { days, imports, ...found }: FoundDays,
  { from, to, until, filters, goals = new Map(), onlyHits = false, hidden, storedPages = false }: StatisticsQuery,
  { installation, needs }: DayReading,
): DayForms {
  const { websiteNumber, valueSecret, moment } = found;
  const zone = zoneOf(found, installation);
  const isInPeriod = (day: Day) => from <= day && day <= to;
  const ofPeriod = days.filter(({ day }) => isInPeriod(day));
  // The day that counts only in part has no numbers.
  const whole = ofPeriod.filter(({ day }) => until === undefined || day !== to);
  const kept = whole.filter(({ isKept }) => isKept);
  const cutDay = ofPeriod.find(({ day, isKept }) => until !== undefined && day === to && isKept);
  const rules = rulesOfPeriod(found.rules, { from, to });
  // Numbers are without hidden visits.
  const haveAsked = (day: Day) =>
    hidden === undefined || (hidden === 'include' && !rules.some((rule) => isOnDay(rule, day)));
  const hasAllHits = ({ day, isKept, hits, hitsInNumbers }: KnownDay) =>
    isKept ? hits === hitsInNumbers && haveAsked(day) : !onlyHits;
  const current = new Set(whole.filter(hasAllHits));
  const months = needs === 'lists' ? countedMonths(found, ofPeriod, current, { from, to }) : [];
  const counted = [...current].filter(({ day, hasLists }) => hasLists || months.includes(startOfMonth(day)));
  const withSums = imports.filter(({ day, hasSums }) => hasSums && isInPeriod(day));
  const originOf = originsOf(imports.filter(({ hasSums }) => !hasSums));
  const numbered = new Set(needs === 'totals' ? current : needs === 'visits' ? [] : counted);
  const inBook = ({ day, hits, isInBook, rewrittenIn }: KnownDay): BookedDay | undefined => {
    const origin = originOf({ day, hits });
    const version = `${hits} ${rewrittenIn} ${moment.server}`;
    return isInBook && origin !== undefined ? { day, hits, origin, version } : undefined;
  };
  const fromBook = kept.flatMap((known) => {
    // Lists of larger days may have rare values that are one.
    const isCounted = needs === 'visits' || (current.has(known) && known.hits <= MAX_VALUES_PER_DAY);
    return numbered.has(known) || !isCounted ? [] : (inBook(known) ?? []);
  });
  const booked = new Set(datesOf(fromBook));
  const fromHits = kept.filter((known) => !numbered.has(known) && !booked.has(known.day));
  const counting = new Set(fromHits);
  return {
    ...{ websiteNumber, zone, valueSecret, filters, months },
    counted: datesOf(counted),
    totals: needs === 'visits' ? [] : [...current].filter((known) => !counting.has(known)).flatMap(toPoint),
    visits: {
      ...{ websiteNumber, zone, goals, moment, fromBook, fromHits },
      filters: chosenSets(filters, rules, hidden),
      pageRules: storedPages ? [] : found.pageRules,
      cut: until && cutDay && { day: cutDay, until, booked: inBook(cutDay) },
    },
    sumsTo: until === undefined ? to : addDays(to, -1),
    imports: needs === 'visits' || onlyHits ? [] : [...new Set(withSums.map(({ importNumber }) => importNumber))],
  };
}

/** Where all hits of a day are from, if they have one origin. */
function originsOf(imports: readonly ImportedDay[]): (day: Pick<KnownDay, 'day' | 'hits'>) => string | undefined {
  const byDay = groupBy(imports, ({ day }) => day);
  return ({ day, hits }) => {
    const [first = { importNumber: COLLECTED, hits }, ...others] = byDay.get(day) ?? [];
    return first.hits === hits && others.length === 0 ? first.importNumber : undefined;
  };
}

/** Whether a day has numbers that no stored hits have. */
export function hasSumsOf({ days, imports }: Pick<FoundDays, 'days' | 'imports'>, asked: Day): boolean {
  return (
    days.some(({ day, isKept, total }) => day === asked && !isKept && total !== null) ||
    imports.some(({ day, hasSums }) => day === asked && hasSums)
  );
}

function datesOf(days: readonly { readonly day: Day }[]): Day[] {
  return days.map(({ day }) => day);
}

// Several reads of a snapshot need the same numbers.
const points = new WeakMap<HexNumbers, SeriesPoint>();
const contents = new WeakMap<HexNumbers, number>();

function toPoint({ day, total }: KnownDay): SeriesPoint[] {
  return total === null ? [] : [remembered(points, total, () => ({ ...totalsOf(ofHex(total))(0), start: day }))];
}

function contentIn(total: HexNumbers): number {
  return remembered(contents, total, () => contentOf(ofHex(total)));
}

/**
 * The whole months of the period whose numbers count: all their days have numbers that count, of as many hits together. Whatever
 * changes hits in another way than by adding some deletes the numbers of their months.
 */
function countedMonths(
  { months: stored }: Pick<FoundDays, 'months'>,
  days: readonly KnownDay[],
  current: ReadonlySet<KnownDay>,
  { from, to }: Pick<StatisticsQuery, 'from' | 'to'>,
): readonly Day[] {
  const months = new Map<Day, number>();
  for (const { day, total } of current) {
    const month = startOfMonth(day);
    const content = total === null ? 0 : contentIn(total);
    if (month >= from && endOfMonth(month) <= to) months.set(month, (months.get(month) ?? 0) + content);
  }
  for (const known of days) if (!current.has(known)) months.delete(startOfMonth(known.day));
  return stored.filter(({ day, total }) => months.get(day) === contentIn(total)).map(({ day }) => day);
}
