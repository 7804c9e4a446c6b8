import type { Annotation } from '@hitherto/domain/annotations';
import { addDays, type Day, defaultInterval, type Interval, type TimeZone } from '@hitherto/domain/calendar';
import { countedGoal, type Definition, type Definitions } from '@hitherto/domain/definitions';
import type {
  ComparedLists,
  CountedGoal,
  GoalNumbers as GoalCounts,
  StatisticsQuery,
  StatisticsReads,
  StatisticsRepository,
} from '@hitherto/domain/engine';
import { type Figures, figuresOf, formatAddress } from '@hitherto/domain/format';
import type { CrawlerRepository, Dimension } from '@hitherto/domain/hits';
import { daysWithout, type ImportRepository, importedPeriods } from '@hitherto/domain/imports';
import {
  type HoursOfWeek,
  hoursOfWeek,
  type PeriodNumbers,
  periodOf,
  ratedGoals,
  type ShownGoal,
  showCurrentVisitors,
  showFunnel,
  showOverview,
  showValueConversions,
  wholeDays,
  withBefore,
  withDays,
} from '@hitherto/domain/reading';
import { rulesOfPeriod, withoutFewMeasured } from '@hitherto/domain/visits';
import type { Website } from '@hitherto/domain/websites';
import type { Locale } from '@hitherto/words';
import {
  type CardView,
  type EventProperties,
  frontLists,
  frontProperty,
  LIST_LENGTH,
  LISTED_DIMENSIONS,
  type Listed,
  makeCards,
  rowChange,
} from './cards.ts';
import { type ChartView, makeChart } from './chart-view.ts';
import {
  type ComparisonLink,
  type ComparisonView,
  comparisonLinks,
  comparisonOf,
  makeComparison,
} from './comparison-view.ts';
import type { CountriesView } from './country-map.tsx';
import { type Crawlers, readCrawlers } from './crawlers-card.tsx';
import { ratedGoal } from './definitions.ts';
import type { FunnelNumbers } from './funnels-card.tsx';
import { type GoalNumbers, lineOfGoal } from './goals-card.tsx';
import { makeOrigins, type OriginsView } from './origins-view.ts';
import { eventOf, type Selection } from './selection.ts';
import { CHANGED_DIMENSIONS, type WhatChanged, whatChanged } from './what-changed.tsx';

/** The content of the statistics page. Strings from outside are as they were stored: components escape them. */
export interface StatisticsView {
  readonly website: WebsiteView;
  /** Of the page: under the id of the website, or under a shared link. */
  readonly path: string;
  readonly selection: Selection;
  /** The name of the segment whose visits alone are shown, if any. */
  readonly within: string | undefined;
  /** Whether the viewer is signed in, as a member or with a key of the account, and gets a link to the websites. */
  readonly isMember: boolean;
  /** And to the settings. */
  readonly hasSettings: boolean;
  /** `undefined` where only the visits of a segment are shown: current visitors are not counted by segment. */
  readonly currentVisitors: number | undefined;
  readonly today: Day;
  readonly figures: Figures;
  readonly comparison: ComparisonView | undefined;
  readonly comparisons: readonly ComparisonLink[];
  readonly chart: ChartView;
  /** The values that changed most; empty where nothing is compared. */
  readonly changes: readonly WhatChanged[];
  readonly cards: readonly CardView[];
  /** Of the map; `undefined` where another list is in front of it. */
  readonly countries: CountriesView | undefined;
  /** `undefined` if the website has none. */
  readonly goals: readonly GoalNumbers[] | undefined;
  readonly funnels: FunnelNumbers | undefined;
  /** `undefined` if less than a week is over. */
  readonly hours: HoursOfWeek | undefined;
  /** For members only. */
  readonly crawlers: Crawlers | undefined;
  /** Absent without imported days. */
  readonly origins: OriginsView | undefined;
  /** The hidden visits, for people who can undo cleanups; `undefined` if there are none. */
  readonly cleaned: CleanedView | undefined;
  readonly footer: FooterView;
}

export interface WebsiteView {
  readonly id: string;
  /** Without the scheme. */
  readonly address: string;
}

interface CleanedView {
  readonly visits: number;
  readonly cleanups: number;
}

/** The facts that the footer names. */
export interface FooterView {
  readonly timeZone: string;
  readonly excludesBots: boolean;
  /** The first day with a hit; `undefined` also where only the visits of a segment are shown, because it is the website's. */
  readonly firstDay: Day | undefined;
}

/** The dependencies of a statistics page. */
export interface StatisticsViewDependencies {
  readonly statistics: StatisticsRepository;
  readonly crawlers: Pick<CrawlerRepository, 'values'>;
  readonly imports: ImportRepository;
  /** The website's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** The dependencies of the reads of a page. */
interface ReadDependencies extends Pick<StatisticsViewDependencies, 'zone' | 'now'> {
  readonly statistics: StatisticsReads;
}

/** More countries than there are. */
const MAX_COUNTRIES = 300;

/** The most properties of an event that have a list on the page. */
const MAX_PROPERTIES = 8;

/** A page of statistics to read: its visits, its selection, and the rights of the viewer. */
export interface PageRead {
  readonly website: Website;
  /** Of the statistics page. */
  readonly path: string;
  /** The only visits that the viewer may see, with whatever filters; `undefined` for all. */
  readonly within: Definition<'segment'> | undefined;
  readonly selection: Selection;
  readonly definitions: Definitions;
  /** The visits that the selection chooses, among the visits that the viewer may see. */
  readonly query: StatisticsQuery;
  readonly isMember: boolean;
  readonly hasSettings: boolean;
  readonly today: Day;
  readonly locale: Locale;
}

/** The same, with the annotations that the viewer may see. */
interface PageReadWithAnnotations extends PageRead {
  readonly annotations: readonly Annotation[];
}

/** All that the statistics page of a website shows; the caller has checked that it may be seen. */
export async function readStatisticsView(
  deps: StatisticsViewDependencies,
  page: PageReadWithAnnotations,
): Promise<StatisticsView> {
  const { zone } = deps;
  const { website, path, within, selection, definitions, query, isMember, hasSettings, today, annotations } = page;
  const now = deps.now();
  const interval = defaultInterval(selection);
  const funnel = definitions.funnels.find(({ id }) => id === selection.funnel) ?? definitions.funnels[0];
  const [numbers, imported, crawlers] = await Promise.all([
    deps.statistics.reading(periodOf(query, comparisonOf(selection)), (statistics) =>
      readNumbers({ ...deps, statistics }, page, interval, funnel),
    ),
    importedPeriods(deps, website.id, selection),
    isMember && within === undefined ? readCrawlers(deps.crawlers, website.id, selection) : undefined,
  ]);
  const {
    values,
    countries,
    currentVisitors,
    footer,
    properties,
    goalNumbers,
    goalsBefore,
    ofHits,
    ofHours,
    steps,
    rates,
    cleaned,
  } = numbers;
  const current = isMember ? numbers.current : forGuests(numbers.current);
  const previous = isMember ? numbers.previous : { ...numbers.previous, ...forGuests(numbers.previous) };
  // Conversions are known only for days whose hits are still stored.
  const { visitors: rated } = ofHits ?? current.totals;
  const figures = figuresOf(current.totals);
  const comparison = makeComparison(page.locale, selection, previous, zone, today);
  // Where nothing was counted before, everything would be new.
  const isCompared = comparison?.figures !== undefined;
  return {
    website: { id: website.id, address: formatAddress(website.url) },
    path,
    selection,
    within: within?.name,
    origins: imported.length === 0 ? undefined : makeOrigins(page.locale, imported, query, interval, figures.visits),
    isMember,
    hasSettings,
    cleaned,
    currentVisitors,
    today,
    figures,
    comparison,
    comparisons: comparisonLinks(page.locale, path, selection, footer.firstDay),
    chart: makeChart(
      {
        locale: page.locale,
        path,
        selection,
        interval,
        points: current.points,
        before: selection.compare === 'none' ? [] : previous.points,
        annotations,
        zone,
        today,
        now,
      },
      footer.firstDay,
    ),
    changes: isCompared ? whatChanged(page.locale, path, selection, values) : [],
    cards: makeCards({
      locale: page.locale,
      path,
      selection,
      visitors: current.totals.visitors,
      isCompared,
      values,
      imported,
      query,
      properties,
      rates,
    }),
    countries: countries && { rows: countries.rows, visitors: current.totals.visitors },
    goals:
      goalNumbers &&
      withNumbers(
        page,
        ratedGoals(goalNumbers, rated),
        isCompared ? goalsBefore : undefined,
        boundsOf(page, current.points, footer.firstDay),
      ),
    funnels: funnel && { funnels: definitions.funnels, shown: funnel, steps: steps ?? [] },
    hours: ofHours && hoursOfWeek(zone, ofHours.days, ofHours, daysWithout(imported, 'hour')),
    crawlers,
    footer,
  };
}

/** The numbers that guests may see. */
function forGuests({ totals, points }: PeriodNumbers): PeriodNumbers {
  return { totals: withoutFewMeasured(totals), points: points.map(withoutFewMeasured) };
}

/** Reads everything that is counted, except crawlers. */
async function readNumbers(
  deps: ReadDependencies,
  { website, within, selection, definitions, query, hasSettings }: PageRead,
  interval: Interval,
  funnel: Definition<'funnel'> | undefined,
) {
  const { statistics } = deps;
  const goals = definitions.goals.map(countedGoal);
  const goal = ratedGoal(selection, definitions);
  const overview = await showOverview(
    deps,
    query,
    interval,
    LISTED_DIMENSIONS,
    LIST_LENGTH,
    comparisonOf(selection),
    selection.compare === 'none' ? undefined : comparedLists(selection),
  );
  const before = overview.previous.days;
  const compared = selection.compare === 'none' || before.isUneven ? undefined : withDays(query, before);
  const footer = await readFooter(deps, website, within);
  const hasMap = frontLists(selection).includes('country');
  const countries = hasMap ? await statistics.values(query, 'country', MAX_COUNTRIES) : undefined;
  const days = wholeDays(deps.zone, deps.now(), selection, footer.firstDay);
  const properties = await readProperties(statistics, query, selection, compared);
  return {
    ...overview,
    countries,
    properties,
    currentVisitors: within === undefined ? await showCurrentVisitors(deps, website.id) : undefined,
    footer,
    ofHours: days && { days, ...(await statistics.visitorsByHour({ ...query, ...days })) },
    goalNumbers: goals.length === 0 ? undefined : await statistics.goals(query, goals),
    goalsBefore: compared && (await readGoalsBefore(statistics, compared, goals, overview.previous.totals?.visitors)),
    ofHits:
      goals.length === 0 || query.filters.length > 0
        ? undefined
        : await statistics.totals({ ...query, onlyHits: true }),
    steps: funnel && (await showFunnel(deps, query, funnel.content)),
    cleaned: hasSettings && query.hidden === undefined ? await readCleanedVisits(statistics, query) : undefined,
    rates:
      goal === undefined ? new Map() : await readRates(statistics, query, selection, goal, overview.values, properties),
  };
}

/** How many visits are hidden, and by how many cleanups of these days. */
async function readCleanedVisits(
  statistics: StatisticsReads,
  query: StatisticsQuery,
): Promise<CleanedView | undefined> {
  const rules = rulesOfPeriod(await statistics.hidingRules(query.websiteId), query);
  if (rules.length === 0) return undefined;
  const { visits } = await statistics.totals({ ...query, hidden: 'only' });
  return visits === 0 ? undefined : { visits, cleanups: rules.length };
}

/** Lists behind a tab are compared when they come to the front. */
function comparedLists(selection: Selection): ComparedLists {
  const changed = CHANGED_DIMENSIONS;
  return { dimensions: [...new Set([...frontLists(selection), ...changed])], changed };
}

/** The numbers of the goals in the days that are compared; `undefined` if some of these days have no hits any more, or never had. */
async function readGoalsBefore(
  statistics: StatisticsReads,
  compared: StatisticsQuery,
  goals: readonly CountedGoal[],
  visitors: number | undefined,
): Promise<readonly GoalCounts[] | undefined> {
  if (goals.length === 0) return undefined;
  const hasHits =
    compared.filters.length > 0 || (await statistics.totals({ ...compared, onlyHits: true })).visitors === visitors;
  return hasHits ? statistics.goals(compared, goals) : undefined;
}

function withNumbers(
  { definitions: { goals }, locale }: PageRead,
  shown: readonly ShownGoal[],
  before: readonly GoalCounts[] | undefined,
  bounds: readonly Day[],
): GoalNumbers[] {
  return goals.flatMap((goal, index) => {
    const numbers = shown[index];
    if (numbers === undefined) return [];
    const change = before && rowChange(locale, numbers.visitors, before[index]?.visitors);
    return [{ goal, numbers, line: lineOfGoal(bounds, numbers.days), change }];
  });
}

/** The first days of the intervals since the first hit, and the end of the last one that is over. */
function boundsOf({ selection, today }: PageRead, points: PeriodNumbers['points'], firstDay = ''): Day[] {
  const starts = points.flatMap(({ start }) => (typeof start === 'string' && start >= firstDay ? [start] : []));
  return selection.to < today && starts.length > 0 ? [...starts, addDays(selection.to, 1)] : starts;
}

/** The conversion rates of the rows of the lists in front; other lists are read when they come to the front. */
async function readRates(
  statistics: StatisticsReads,
  query: StatisticsQuery,
  selection: Selection,
  goal: CountedGoal,
  values: Listed['values'],
  properties: EventProperties | undefined,
): Promise<Listed['rates']> {
  const ofDimensions = frontLists(selection).map(async (dimension) => {
    const converted = await showValueConversions(
      { statistics },
      query,
      goal,
      dimension,
      values.get(dimension)?.rows ?? [],
    );
    return [dimension, converted.map(({ conversionRate }) => conversionRate)] as const;
  });
  const rates = new Map<Dimension | 'property', readonly (number | null)[]>(await Promise.all(ofDimensions));
  const front = properties && frontProperty(properties, selection);
  if (properties !== undefined && front !== undefined) {
    const [property, { rows }] = front;
    const converted = await showValueConversions(
      { statistics },
      query,
      goal,
      { event: properties.event, property },
      rows,
    );
    rates.set(
      'property',
      converted.map(({ conversionRate }) => conversionRate),
    );
  }
  return rates;
}

/** Reads the facts that the footer names. */
export async function readFooter(
  { statistics, zone }: Pick<ReadDependencies, 'statistics' | 'zone'>,
  website: Website,
  within: Definition<'segment'> | undefined,
): Promise<FooterView> {
  const firstDay = within === undefined ? await statistics.firstDay(website.id) : undefined;
  return { timeZone: zone.name, excludesBots: website.excludeBots, firstDay };
}

/** The properties of the filtered event, including the one that is shown. */
async function readProperties(
  statistics: StatisticsReads,
  query: StatisticsQuery,
  selection: Selection,
  compared: StatisticsQuery | undefined,
): Promise<EventProperties | undefined> {
  const event = eventOf(selection);
  if (event === undefined) return undefined;
  const known = await statistics.propertyNames(query, event);
  const names = known.filter((name, index) => index < MAX_PROPERTIES || name === selection.property);
  const values = await Promise.all(
    names.map(async (property) => {
      const page = await statistics.propertyValues(query, event, property, LIST_LENGTH);
      const rows = await withBefore(statistics, { event, property }, page.rows, compared);
      return [property, { rows, total: page.total }] as const;
    }),
  );
  return { event, values };
}
