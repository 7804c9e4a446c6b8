import { addDays, dayOf, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import {
  type ConvertedRow,
  type CountedGoal,
  type Glance,
  glanceByReads,
  isChoice,
  liveOf,
  type Overview,
  type StatisticsQuery,
  type StatisticsReads,
  type ValueChanges,
  type ValuePage,
  valueChanges,
  visitorsByHour,
  type WebsitePeriod,
} from '@hitherto/domain/engine';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { noLiveCounts, type SeriesPoint, sumTotals } from '@hitherto/domain/visits';
import type { Transaction } from '../../connection/transaction.ts';
import { movedAway } from '../../moved-away.ts';
import { daysWithHitsBetween } from '../book/read-day-hits.ts';
import {
  type DayForms,
  dayForms,
  type FoundDays,
  findDays,
  hasSumsOf,
  type Needs,
  type VisitDays,
} from '../days/day-forms.ts';
import { readChanges } from './changes.ts';
import { readDays, readFilteredDays } from './days.ts';
import type { FirstHits } from './glance-hits.ts';
import { readGlances } from './glances.ts';
import { readHours, readOverview, readValues, readVisitorsByHour } from './lists.ts';
import {
  readConversions,
  readFunnel,
  readGoals,
  readKeptValues,
  readPropertyNames,
  readPropertyValues,
} from './questions.ts';
import type { VisitCounts } from './visit-counts.ts';

const noConversions = ({ sum }: CountedGoal) => ({
  visitors: 0,
  visits: 0,
  conversions: 0,
  sum: sum === null ? null : '0.00',
  days: [],
});
const NO_VALUES: ValuePage = { rows: [], previous: undefined, next: undefined, total: 0 };

export interface ReadingOptions {
  /** The days that are found together. */
  readonly of: WebsitePeriod;
  /** The zone of websites without their own. */
  readonly installation: TimeZone;
  readonly readsInactiveEngine: boolean;
  readonly firstHits: FirstHits;
}

/**
 * The reads of a snapshot, which run one after the other. A website and its days are found once. After a failure, all others
 * reject.
 */
export function openReads(
  transaction: Transaction,
  counts: VisitCounts,
  { of, installation, readsInactiveEngine, firstHits }: ReadingOptions,
): { readonly reads: StatisticsReads; end(): Promise<void> } {
  const periods: { readonly of: WebsitePeriod; readonly found: FoundDays | undefined }[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(() => {
      if (isOver) throw new Error('A reading of statistics has ended before its reads.');
      return work();
    });
    last = result.catch(() => {
      isOver = true;
    });
    return result;
  };

  const find = async (asked: WebsitePeriod): Promise<FoundDays | undefined> => {
    const known = periods.find((period) => contains(period.of, asked));
    if (known !== undefined) return known.found;
    const period = contains(of, asked) ? of : asked;
    const found = await findDays(transaction, period);
    if (found?.isOutside && !readsInactiveEngine) throw movedAway();
    periods.push({ of: period, found });
    return found;
  };

  const formsOf = (found: FoundDays, query: StatisticsQuery, needed: Needs): DayForms =>
    dayForms(found, query, { installation, needs: isChoice(query) ? 'visits' : needed });

  /** Runs `work` on the forms of the query's days; `absent` is the result for an unknown website. */
  const read = <Result>(
    query: StatisticsQuery,
    absent: Result,
    needed: Needs,
    work: (forms: DayForms, found: FoundDays) => Promise<Result>,
  ): Promise<Result> =>
    inTurn(async () => {
      const found = await find(query);
      return found === undefined ? absent : work(formsOf(found, query, needed), found);
    });

  /** The visits of the days between two moments, which are counted from their hits; `undefined` for an unknown website. */
  const visitsBetween = async (websiteId: string, since: Date, until: Date): Promise<VisitDays | undefined> => {
    const [first = '', last = ''] = [since, until].map((time) => time.toISOString().slice(0, 10));
    // Zones are up to 14 hours ahead of UTC, or 12 behind.
    const query = { websiteId, from: addDays(first, -1), to: addDays(last, 1), filters: [] };
    const found = await find(query);
    if (found === undefined) return undefined;
    const zone = zoneOf(found, installation);
    const [from, to] = [dayOf(zone, since), dayOf(zone, until)];
    const { visits } = dayForms(found, { ...query, from, to }, { installation, needs: 'totals' });
    // Hits that came before the zone was changed are on days of another zone, perhaps in the book already.
    const booked = found.days.filter(({ isInBook }) => isInBook);
    const reaching = await daysWithHitsBetween(transaction, found.websiteNumber, booked, since, until);
    const days = found.days.filter(({ day, isKept, isInBook }) => isKept && (!isInBook || reaching.has(day)));
    return { ...visits, fromHits: days, fromBook: [] };
  };

  /** The days that have a visitor. */
  const series = (query: StatisticsQuery) =>
    read<SeriesPoint[]>(query, [], 'totals', (forms) =>
      isChoice(query) ? readFilteredDays(transaction, forms, counts) : readDays(transaction, query, forms, counts),
    );

  const reads: StatisticsReads = {
    totals: async (query) => sumTotals(await series(query)),

    series: (query, interval) =>
      interval === 'day'
        ? series(query)
        : read<SeriesPoint[]>(query, [], 'hours', (forms) => readHours(transaction, query, forms, counts)),

    visitorsByHour: (query) =>
      read(query, visitorsByHour([]), 'hours', (forms) => readVisitorsByHour(transaction, query, forms, counts)),

    values: (query, dimension, limit, position, order) =>
      read(query, NO_VALUES, 'lists', (forms) =>
        readValues(transaction, query, forms, counts, dimension, limit, position, order),
      ),

    overview: (query, dimensions, limit, compared) => {
      const none = { rows: [], total: 0 };
      const absent = { days: [], values: new Map(dimensions.map((dimension) => [dimension, none])) };
      return read<Overview>(query, absent, 'lists', async (forms) => {
        const found = compared && (await find(compared.query));
        const before = found && { ...compared, forms: formsOf(found, compared.query, 'lists') };
        return readOverview(transaction, query, forms, counts, dimensions, limit, before);
      });
    },

    changes: (query, compared, number, dimensions, limit) => {
      const absent = new Map(dimensions.map((dimension) => [dimension, valueChanges([], limit)]));
      return read<ReadonlyMap<Dimension, ValueChanges>>(query, absent, 'lists', async (forms) => {
        const found = await find(compared);
        if (found === undefined) return absent;
        const before = { query: compared, forms: formsOf(found, compared, 'lists') };
        return readChanges(transaction, before, { query, forms }, counts, number, dimensions, limit);
      });
    },

    propertyValues: (query, event, property, limit, position) =>
      read(query, NO_VALUES, 'visits', ({ visits }) =>
        readPropertyValues(transaction, visits, counts, event, property, limit, position),
      ),

    propertyNames: (query, event) =>
      read<string[]>(query, [], 'visits', ({ visits }) => readPropertyNames(transaction, visits, counts, event)),

    goals: (query, goals) =>
      read(query, goals.map(noConversions), 'visits', ({ visits }) => readGoals(transaction, visits, counts, goals)),

    funnel: (query, funnel) =>
      read(
        query,
        funnel.steps.map(() => ({ visits: 0, visitors: 0 })),
        'visits',
        ({ visits }) => readFunnel(transaction, visits, counts, funnel),
      ),

    conversions: (query, goal, by, values) =>
      read<readonly ConvertedRow[]>(query, [], 'visits', async ({ visits }, found) => {
        const dimension = isChoice(query) ? undefined : DIMENSIONS.find((name) => name === by);
        const ofList = dimension && dayForms(found, query, { installation, needs: 'lists' });
        const kept = dimension && ofList && (await readKeptValues(transaction, ofList, counts, dimension));
        return readConversions(transaction, visits, counts, goal, by, values, kept ?? new Map());
      }),

    visitorsBetween: (websiteId, since, until) =>
      inTurn(async () => {
        const visits = await visitsBetween(websiteId, since, until);
        return visits === undefined ? 0 : counts.visitorsBetween(transaction, visits, since, until);
      }),

    live: (websiteId, since, until, limit) =>
      inTurn(async () => {
        const visits = await visitsBetween(websiteId, since, until);
        const live = visits === undefined ? noLiveCounts() : await counts.live(transaction, visits, since, until);
        return liveOf(live, limit);
      }),

    hasSums: (websiteId, day) =>
      inTurn(async () => {
        const found = await find({ websiteId, from: day, to: day });
        return found !== undefined && hasSumsOf(found, day);
      }),

    async glances(queries) {
      const glances: Glance[] = [];
      for (const [index, { hasRules, ...glance }] of (
        await inTurn(() => readGlances(transaction, queries, readsInactiveEngine, firstHits))
      ).entries()) {
        const query = queries[index];
        glances.push(hasRules && query !== undefined ? { ...glance, ...(await glanceByReads(reads, query)) } : glance);
      }
      return glances;
    },

    hidingRules: (websiteId) => inTurn(async () => (await find({ ...of, websiteId }))?.rules ?? []),

    firstDay: (websiteId) => inTurn(async () => (await find({ ...of, websiteId }))?.firstDay ?? undefined),
  };

  return {
    reads,
    async end() {
      isOver = true;
      await last;
    },
  };
}

function contains(period: WebsitePeriod, asked: WebsitePeriod): boolean {
  return period.websiteId === asked.websiteId && period.from <= asked.from && asked.to <= period.to;
}
