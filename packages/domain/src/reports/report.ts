import type { Annotation } from '../annotations/annotation.ts';
import type { AnnotationRepository } from '../annotations/annotation-repository.ts';
import { endOfDay } from '../calendar/time-zone.ts';
import type { FindingRepository } from '../checks/finding-repository.ts';
import type { Definition } from '../definitions/definition.ts';
import type { DefinitionRepositories } from '../definitions/definition-repository.ts';
import { countedGoal } from '../definitions/resolve-filters.ts';
import type {
  StatisticsQuery,
  StatisticsReads,
  StatisticsRepository,
  TopValue,
} from '../engine/statistics-repository.ts';
import { type CompareDependencies, type ComparedDays, periodOf, withDays } from '../reading/compare.ts';
import { type Point, showOverview } from '../reading/show-statistics.ts';
import type { Totals } from '../visits/totals.ts';
import type { Website } from '../websites/website.ts';
import { lastFullPeriod, type ReportPeriod } from './period.ts';

/** The lists of a report, by dimension. */
export const REPORT_LISTS = ['page', 'source', 'country', 'event'] as const;
export type ReportList = (typeof REPORT_LISTS)[number];

const TOP = 5;
const POINTS = { weekly: 'day', monthly: 'week' } as const;

/** The numbers of a website in a week or month, as the statistics API has them (reports.md). */
export interface Report {
  readonly websiteId: string;
  readonly url: string;
  readonly period: ReportPeriod;
  /** When the report was made, this was the last one that is over. */
  readonly isLast: boolean;
  /** The IANA name of the zone that days are counted in. */
  readonly timeZone: string;
  /** The period was not over when the report was made. */
  readonly isUnfinished: boolean;
  readonly totals: Totals;
  /** Of as many days before; of a period that is not over, of the same days of it, until the same time where hours are known. */
  readonly previous: Totals;
  /** The days of `previous`. */
  readonly previousDays: ComparedDays;
  /** Of a week by day, seven from Monday; of a month by week. */
  readonly points: readonly Point[];
  /** The top five of each, those with the most visitors first; of `source` and `country`, `null` stands for none. */
  readonly lists: Readonly<Record<ReportList, readonly TopValue[]>>;
  /** In the order of their creation. */
  readonly goals: readonly ReportGoal[];
  /** Of the days of the period, private ones included, by day. */
  readonly annotations: readonly Pick<Annotation, 'day' | 'text'>[];
  /** How many findings of the checks are open. */
  readonly findings: number;
}

/** A goal of the website. */
export interface ReportGoal {
  readonly name: string;
  readonly conversions: number;
  /** A decimal with two places; `null` where the goal adds nothing up. */
  readonly sum: string | null;
  /** The conversions of `previousDays`. */
  readonly previous: number;
}

export interface ReportDependencies extends CompareDependencies {
  readonly statistics: StatisticsRepository;
  readonly definitions: { readonly goal: Pick<DefinitionRepositories['goal'], 'list'> };
  readonly annotations: Pick<AnnotationRepository, 'list'>;
  readonly findings: Pick<FindingRepository, 'countOpen'>;
}

/**
 * The report of a website about a week or month.
 *
 * @param isForGuest leaves out what only members see: private annotations, and findings
 */
export async function makeReport(
  deps: ReportDependencies,
  accountId: string,
  { id, url }: Pick<Website, 'id' | 'url'>,
  period: ReportPeriod,
  isForGuest = false,
): Promise<Report> {
  const now = deps.now();
  const query = { websiteId: id, from: period.from, to: period.to, filters: [] };
  const defined = (await deps.definitions.goal.list({ accountId, websiteId: id })) ?? [];
  const { current, previous, values, goals } = await deps.statistics.reading(
    periodOf(query, 'previous'),
    async (statistics) => {
      const overview = await showOverview({ ...deps, statistics }, query, POINTS[period.kind], REPORT_LISTS, TOP);
      return { ...overview, goals: await reportGoals(statistics, defined, query, overview.previous.days) };
    },
  );
  const annotations = ((await deps.annotations.list({ accountId, websiteId: id }, period)) ?? []).filter(
    ({ isPublic }) => isPublic || !isForGuest,
  );
  const rowsOf = (list: ReportList) => values.get(list)?.rows ?? [];
  return {
    websiteId: id,
    url,
    period,
    isLast: period.name === lastFullPeriod(period.kind, deps.zone, now).name,
    timeZone: deps.zone.name,
    isUnfinished: now < endOfDay(deps.zone, period.to),
    totals: current.totals,
    previous: previous.totals,
    previousDays: previous.days,
    points: current.points,
    lists: { page: rowsOf('page'), source: rowsOf('source'), country: rowsOf('country'), event: rowsOf('event') },
    goals,
    annotations: annotations.map(({ day, text }) => ({ day, text })),
    findings: isForGuest ? 0 : ((await deps.findings.countOpen([id])).get(id)?.count ?? 0),
  };
}

async function reportGoals(
  statistics: StatisticsReads,
  goals: readonly Definition<'goal'>[],
  query: StatisticsQuery,
  previousDays: ComparedDays,
): Promise<ReportGoal[]> {
  if (goals.length === 0) return [];
  const read = (asked: StatisticsQuery) => statistics.goals(asked, goals.map(countedGoal));
  const shown = await read(query);
  const previous = await read(withDays(query, previousDays));
  return goals.map(({ name }, place) => ({
    name,
    conversions: shown[place]?.conversions ?? 0,
    sum: shown[place]?.sum ?? null,
    previous: previous[place]?.conversions ?? 0,
  }));
}
