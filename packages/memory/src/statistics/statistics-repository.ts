import { compareBytes, groupBy, storableString } from '@hitherto/domain/base';
import type { Day, TimeZone } from '@hitherto/domain/calendar';
import {
  type Glance,
  glanceByReads,
  isChoice,
  joinNumbers,
  liveOf,
  type MostChanged,
  mostChanged,
  NO_GLANCE,
  pageOfList,
  type StatisticsQuery,
  type StatisticsReads,
  type StatisticsRepository,
  type ValueTotals,
  valueChanges,
  visitorsByHour,
} from '@hitherto/domain/engine';
import type { CountedHit, Dimension } from '@hitherto/domain/hits';
import type { NumberKind } from '@hitherto/domain/visits';
import {
  areVisitorsAtMost,
  chosenSets,
  compileFilters,
  countLive,
  type DaySum,
  type HidingRule,
  NO_TOTALS,
  showPages,
  storableFilters,
  sumTotals,
  type Visit,
  visitsOf,
} from '@hitherto/domain/visits';
import { dayProperties, dayValues, sumByValue } from './day-numbers.ts';
import { createGoalReads } from './goal-reads.ts';
import type { EngineState, JournalState } from './state.ts';

const MAX_NAMES = 100;

/** The numbers of a day. */
interface DayRow extends ValueTotals {
  readonly day: Day;
}

/**
 * Computes every number from all hits, as counting.md defines it. The contract tests compare other adapters with this one.
 *
 * @param zoneOf the time zone of a website, or `undefined` if there is none with this id
 * @param rulesOf the rules that hide visits of a website
 * @param pageRulesOf the rules that show its pages
 */
export function createStatisticsRepository(
  journal: JournalState,
  state: EngineState,
  zoneOf: (websiteId: string) => TimeZone | undefined,
  rulesOf: (websiteId: string) => readonly HidingRule[],
  pageRulesOf: (websiteId: string) => readonly string[],
): StatisticsRepository {
  const isKnown = (websiteId: string) => zoneOf(websiteId) !== undefined;

  /** The stored hits of the website. */
  const hitsOf = (websiteId: string): CountedHit[] =>
    isKnown(websiteId) ? journal.hits.filter((hit) => hit.websiteId === websiteId && hit.day >= state.keptFrom) : [];

  /** The visits that the query selects, by day. */
  const visitsByDay = ({
    websiteId,
    from,
    to,
    until,
    filters,
    goals = new Map(),
    hidden,
    storedPages = false,
  }: StatisticsQuery): Map<Day, Visit[]> => {
    const sets = chosenSets(filters, rulesOf(websiteId), hidden);
    const isChosen = compileFilters(sets.map(storableFilters), goals);
    const isCounted = ({ day, time }: CountedHit) => until === undefined || day !== to || time < until;
    const hits = hitsOf(websiteId).filter(({ day }) => from <= day && day <= to);
    const chosen = showPages(visitsOf(hits, isCounted), storedPages ? [] : pageRulesOf(websiteId)).filter(isChosen);
    return groupBy(chosen, ({ day }) => day);
  };

  /** The visits that are not hidden. */
  const shownVisits = (websiteId: string): Visit[] => {
    const sets = chosenSets([], rulesOf(websiteId), undefined);
    const visits = showPages(visitsOf(hitsOf(websiteId)), pageRulesOf(websiteId));
    return visits.filter(compileFilters(sets.map(storableFilters), new Map()));
  };

  /** The sums of imported days, which have no hours. */
  const importedSums = (query: StatisticsQuery): DaySum[] =>
    importsOf(query.websiteId)
      .flatMap(({ sums }) => sums)
      .filter(hasSumsOf(query));

  const importsOf = (websiteId: string) =>
    [...state.imports.values()].filter(
      ({ imported }) => imported.websiteId === websiteId && imported.status === 'done',
    );

  const summaries = (query: StatisticsQuery) =>
    state.summaries.filter(({ websiteId }) => websiteId === query.websiteId).filter(hasSumsOf(query));

  /** Whether the query counts the sums of a day, which have no visits to filter. */
  const hasSumsOf = (query: StatisticsQuery) => {
    const { websiteId, from, to, until, onlyHits = false } = query;
    const counts = isKnown(websiteId) && !isChoice(query) && !onlyHits;
    return ({ day }: { readonly day: Day }) => counts && from <= day && (until === undefined ? day <= to : day < to);
  };

  const daysWithSums = (websiteId: string): Day[] => {
    if (!isKnown(websiteId)) return [];
    const summarised = state.summaries.filter((summary) => summary.websiteId === websiteId);
    return [...summarised, ...importsOf(websiteId).flatMap(({ sums }) => sums)].map(({ day }) => day);
  };

  const rowsOf = (query: StatisticsQuery, kind: NumberKind): DayRow[] => {
    const zone = zoneOf(query.websiteId);
    if (zone === undefined) return [];
    return [
      ...summaries(query).flatMap(({ day, numbers }) => numbers[kind].map((row) => ({ ...row, day }))),
      ...[...visitsByDay(query)].flatMap(([day, visits]) =>
        dayValues(visits, kind, zone, !isChoice(query)).map((row) => ({ ...row, day })),
      ),
      ...importedSums(query)
        .filter((sum) => sum.kind === kind)
        .map(({ kind: _, ...row }) => row),
    ];
  };

  const daysOf = (query: StatisticsQuery) => {
    const days = [...groupBy(rowsOf(query, 'total'), ({ day }) => day)];
    return days.map(([start, rows]) => ({ start, ...sumTotals(rows) })).sort((a, b) => compareBytes(a.start, b.start));
  };

  const reads: StatisticsReads = {
    ...createGoalReads(visitsByDay, zoneOf),

    async totals(query) {
      return sumTotals(rowsOf(query, 'total'));
    },

    async series(query, interval) {
      if (interval === 'hour') {
        const hours = sumByValue(rowsOf(query, 'hour')).map(({ value, ...totals }) => ({
          start: new Date(value ?? Number.NaN),
          ...totals,
        }));
        return hours.sort((a, b) => a.start.getTime() - b.start.getTime());
      }
      return daysOf(query);
    },

    visitorsByHour: async (query) => visitorsByHour(await reads.series(query, 'hour')),

    async values(query, dimension, limit, position, order) {
      return pageOfList(sumByValue(rowsOf(query, dimension)), limit, position, order);
    },

    async overview(query, dimensions, limit, compared) {
      const values = dimensions.map((dimension) => {
        const list = sumByValue(rowsOf(query, dimension));
        const before = compared?.dimensions.includes(dimension)
          ? sumByValue(rowsOf(compared.query, dimension))
          : undefined;
        const visitorsBefore = new Map(before?.map(({ value, visitors }) => [value, visitors]));
        const rows = list.slice(0, limit).map(({ value, visitors, events, gaps }) => ({
          value,
          visitors,
          events: dimension === 'event' ? events : undefined,
          ...(gaps === undefined ? {} : { gaps }),
          ...(before === undefined ? {} : { before: visitorsBefore.get(value) ?? 0 }),
        }));
        const changed = compared?.changed.includes(dimension) ? changedIn(list, before ?? []) : undefined;
        return [dimension, { rows, total: list.length, ...(changed === undefined ? {} : { changed }) }] as const;
      });
      return { days: daysOf(query), values: new Map(values) };
    },

    async changes(query, compared, number, dimensions, limit) {
      const numbersOf = (of: StatisticsQuery, dimension: Dimension) =>
        new Map(sumByValue(rowsOf(of, dimension)).map((row) => [row.value, row[number]]));
      const changesOf = (dimension: Dimension) =>
        valueChanges(joinNumbers(numbersOf(compared, dimension), numbersOf(query, dimension)), limit);
      return new Map(dimensions.map((dimension) => [dimension, changesOf(dimension)]));
    },

    async propertyValues(query, event, property, limit, position) {
      const rows = [...visitsByDay(query).values()].flatMap((visits) =>
        dayProperties(visits, event && storableString(event), storableString(property)),
      );
      return pageOfList(sumByValue(rows), limit, position);
    },

    async propertyNames(query, event) {
      const events = [...visitsByDay(query).values()].flat().flatMap(({ hits }) => hits);
      const names = events
        .filter(({ name }) => name === storableString(event))
        .flatMap(({ props }) => Object.keys(props ?? {}));
      return [...new Set(names)].sort(compareBytes).slice(0, MAX_NAMES);
    },

    async visitorsBetween(websiteId, since, until) {
      const hits = shownVisits(websiteId).flatMap((visit) => visit.hits);
      const current = hits.filter(({ time }) => since <= time && time <= until);
      return new Set(current.map(({ visitor }) => visitor)).size;
    },

    async live(websiteId, since, until, limit) {
      return liveOf(countLive(shownVisits(websiteId), since, until), limit);
    },

    async glances(queries) {
      return Promise.all(
        queries.map(async (query): Promise<Glance> => {
          const { websiteId, from, to } = query;
          if (!isKnown(websiteId)) return NO_GLANCE;
          const hits = hitsOf(websiteId)
            .filter(isHit)
            .filter(({ day }) => from <= day && day <= to);
          const last = hits.map(({ time }) => time.getTime()).sort((a, b) => b - a)[0];
          return {
            ...(await glanceByReads(reads, query)),
            lastHit: last === undefined ? undefined : new Date(last),
            firstDay: await reads.firstDay(websiteId),
          };
        }),
      );
    },

    async hasSums(websiteId, day) {
      return daysWithSums(websiteId).includes(day);
    },

    hidingRules: async (websiteId) => structuredClone(rulesOf(websiteId)),

    async firstDay(websiteId) {
      const days = [
        ...daysWithSums(websiteId),
        ...hitsOf(websiteId)
          .filter(isHit)
          .map(({ day }) => day),
      ];
      return days.sort(compareBytes)[0];
    },
  };
  return { ...reads, reading: (_, work) => work(reads) };
}

function changedIn(list: readonly ValueTotals[], before: readonly ValueTotals[]): MostChanged {
  const of = (value: string | null, rows: readonly ValueTotals[]) => rows.find((row) => row.value === value);
  const values = [...new Set([...list, ...before].map(({ value }) => value))].map((value) => ({
    value,
    rows: [of(value, list) ?? NO_TOTALS, of(value, before) ?? NO_TOTALS] as const,
  }));
  return mostChanged(
    values
      .filter(({ rows }) => !rows.some(areVisitorsAtMost))
      .map(({ value, rows: [after, earlier] }) => ({ value, visitors: after.visitors, before: earlier.visitors })),
  );
}

function isHit({ measure }: CountedHit): boolean {
  return measure === undefined;
}
