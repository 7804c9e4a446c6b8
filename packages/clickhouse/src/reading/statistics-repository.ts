import { compareBytes, storableString } from '@hitherto/domain/base';
import { addDays, type Day } from '@hitherto/domain/calendar';
import {
  type CountedGoal,
  type GoalNumbers,
  isChoice,
  type JournalledWebsite,
  joinNumbers,
  liveOf,
  type StatisticsQuery,
  type StatisticsReads,
  type StatisticsRepository,
  type ValuePage,
  valueChanges,
  visitorsByHour,
} from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { chosenSets, NO_TOTALS, noLiveCounts, rulesOfPeriod } from '@hitherto/domain/visits';
import type { ClickHouse } from '../connection/client.ts';
import { dayLiteral, type Sql, sql, timeLiteral } from '../connection/sql.ts';
import { type RowWithGaps, SUMS_WITH_GAPS, toGaps, toTotals } from '../tables/kinds.ts';
import { filterOfSets } from '../visits/conditions.ts';
import { selectNumbers } from '../visits/numbers.ts';
import { selectVisits } from '../visits/select-visits.ts';
import { counts, IS_KEPT, KEPT_FROM } from './day-forms.ts';
import { readGlances } from './glances.ts';
import { readConversions, readFunnel, readGoals } from './goals.ts';
import { readLive } from './live.ts';
import { readHours, readOverview, readPoints } from './overview.ts';
import { chosenVisits, findRows, type Reading } from './rows.ts';
import { readDimensionPage, readPropertyPage } from './value-list.ts';
import type { FindWebsite } from './websites.ts';

const MAX_NAMES = 100;
/** The whole list: days store some thousand values. */
const ALL = 1_000_000_000;
const NO_VALUES: ValuePage = { rows: [], previous: undefined, next: undefined, total: 0 };
const noConversions = ({ sum }: CountedGoal): GoalNumbers => ({
  visitors: 0,
  visits: 0,
  conversions: 0,
  sum: sum === null ? null : '0.00',
  days: [],
});

function readingOf({ number: website, zone, imports, ...found }: JournalledWebsite, query: StatisticsQuery): Reading {
  const { from, to, until, goals = new Map(), onlyHits = false, hidden, storedPages = false } = query;
  const rules = rulesOfPeriod(found.rules, query);
  const filters = chosenSets(query.filters, rules, hidden);
  const cut = until && { day: to, until };
  return {
    ...{ website, zone, imports, from, to, cut, goals, onlyHits },
    ...{ filters, isChoice: isChoice(query), rules, hidden },
    pageRules: storedPages ? [] : found.pageRules,
  };
}

/** Reads statistics from ClickHouse, after handing over every hit of the website acknowledged so far. */
export function createStatisticsRepository(server: ClickHouse, findWebsite: FindWebsite): StatisticsRepository {
  /** Runs `work`; `absent` is the result for an unknown website. */
  const read = async <Result>(
    query: StatisticsQuery,
    absent: Result,
    work: (reading: Reading, found: JournalledWebsite) => Promise<Result>,
  ): Promise<Result> => {
    const found = await findWebsite(query.websiteId);
    return found === undefined ? absent : work(readingOf(found, query), found);
  };

  const reads: StatisticsReads = {
    totals: (query) =>
      read(query, NO_TOTALS, async (reading) => {
        const rows = await findRows(server, reading, ['total']);
        const [sums] = await server.read<RowWithGaps>(sql`select ${SUMS_WITH_GAPS} from (${rows(['total'])})`);
        return sums === undefined ? NO_TOTALS : { ...toTotals(sums), ...toGaps(sums) };
      }),

    series: (query, interval) =>
      read(query, [], async (reading) => {
        const kind = interval === 'day' ? 'total' : 'hour';
        const rows = await findRows(server, reading, [kind]);
        return interval === 'day' ? readPoints(server, rows([kind])) : readHours(server, rows([kind]));
      }),

    visitorsByHour: async (query) => visitorsByHour(await reads.series(query, 'hour')),

    values: (query, dimension, limit, position, order) =>
      read(query, NO_VALUES, async (reading) => {
        const rows = await findRows(server, reading, [dimension]);
        return readDimensionPage(server, rows, dimension, limit, position, order);
      }),

    overview: (query, dimensions, limit, compared) => {
      const none = { rows: [], total: 0 };
      const absent = { days: [], values: new Map(dimensions.map((dimension) => [dimension, none])) };
      return read(query, absent, async (reading, found) => {
        const rows = await findRows(server, reading, ['total', ...dimensions]);
        const before = compared && {
          ...compared,
          rows: await findRows(server, readingOf(found, compared.query), compared.dimensions),
        };
        return readOverview(server, rows, dimensions, limit, before);
      });
    },

    async changes(query, compared, number, dimensions, limit) {
      const numbersOf = async (of: StatisticsQuery, dimension: Dimension) => {
        const { rows } = await reads.values(of, dimension, ALL);
        return new Map(rows.map((row) => [row.value, row[number]]));
      };
      const changes = dimensions.map(async (dimension) => {
        const [before, after] = await Promise.all([numbersOf(compared, dimension), numbersOf(query, dimension)]);
        return [dimension, valueChanges(joinNumbers(before, after), limit)] as const;
      });
      return new Map(await Promise.all(changes));
    },

    propertyValues: (query, event, property, limit, position) =>
      read(query, NO_VALUES, (reading) => {
        const grouping = { event: event && storableString(event), property: storableString(property) };
        const numbers = selectNumbers(grouping, { scope: chosenVisits(reading), folded: [], counted: 'all' });
        return readPropertyPage(server, numbers, limit, position);
      }),

    propertyNames: (query, event) =>
      read<string[]>(query, [], async (reading) => {
        const events = sql`arrayFilter((m, n) -> n = ${storableString(event)}, props, names)`;
        const rows = await server.read<{ name: string }>(sql`
          select distinct arrayJoin(arrayFlatten(arrayMap(m -> mapKeys(m), ${events}))) as name
          from (${selectVisits(chosenVisits(reading), ['names', 'props'])}) order by name limit ${MAX_NAMES}`);
        return rows.map(({ name }) => name);
      }),

    goals: (query, goals) => read(query, goals.map(noConversions), (reading) => readGoals(server, reading, goals)),

    funnel: (query, funnel) =>
      read(
        query,
        funnel.steps.map(() => ({ visits: 0, visitors: 0 })),
        (reading) => readFunnel(server, reading, funnel),
      ),

    conversions: (query, goal, by, values) =>
      read(query, [], (reading) => readConversions(server, reading, goal, by, values)),

    async visitorsBetween(websiteId, since, until) {
      const website = await findWebsite(websiteId);
      if (website === undefined) return 0;
      const isOfDays = isBetween(website, since, until);
      const [from, to] = [timeLiteral(since), timeLiteral(until)];
      const shown = chosenSets([], website.rules, undefined);
      const scope = { rows: isOfDays, filter: filterOfSets(shown, new Map()) };
      const [row] = await server.read<{ visitors: string }>(
        shown.length === 0
          ? sql`select uniqExact(visitor) as visitors from hit where is_measure = 0 and ${isOfDays} and time between ${from} and ${to}`
          : sql`select uniqExact(visitor) as visitors from (${selectVisits(scope, ['started', 'times'])})
              where arrayExists(t -> addMilliseconds(started, t) between ${from} and ${to}, times)`,
      );
      return Number(row?.visitors ?? 0);
    },

    async live(websiteId, since, until, limit) {
      const website = await findWebsite(websiteId);
      if (website === undefined) return liveOf(noLiveCounts(), limit);
      return readLive(server, website, isBetween(website, since, until), { since, until, limit });
    },

    glances: (queries) => readGlances(server, findWebsite, queries, reads),

    async hasSums(websiteId, day) {
      const website = await findWebsite(websiteId);
      if (website === undefined) return false;
      const isOfDay = sql`website = ${website.number} and kind = 'total' and day = ${dayLiteral(day)}`;
      const rows = await server.read(sql`
        select 1 from summary where ${isOfDay} and day < ${KEPT_FROM}
        union all
        select 1 from imported_sum where ${isOfDay} and ${counts(website.imports)}`);
      return rows.length > 0;
    },

    hidingRules: async (websiteId) => (await findWebsite(websiteId))?.rules ?? [],

    async firstDay(websiteId) {
      const website = await findWebsite(websiteId);
      if (website === undefined) return undefined;
      const rows = await server.read<{ day: Day }>(sql`
        select day from (
          select day from visitor_day
          where website = ${website.number} and ${counts(website.imports)} and day >= ${KEPT_FROM} order by day limit 1
          union all
          select min(day) as day from summary where website = ${website.number} having count() > 0
          union all
          select min(day) as day from imported_sum
          where website = ${website.number} and ${counts(website.imports)} having count() > 0
        )`);
      return rows.map(({ day }) => day).sort(compareBytes)[0];
    },
  };
  return { ...reads, reading: (_, work) => work(reads) };
}

/** The condition that rows are of a website, and of the days between two moments. */
function isBetween({ number, imports }: JournalledWebsite, since: Date, until: Date): Sql {
  // A day begins up to 14 hours earlier than in UTC, and ends up to 12 hours later.
  const dayAt = (time: Date, days: number) => dayLiteral(addDays(time.toISOString().slice(0, 10), days));
  return sql`
    website = ${number} and ${counts(imports)} and ${IS_KEPT} and day between ${dayAt(since, -1)} and ${dayAt(until, 1)}`;
}
