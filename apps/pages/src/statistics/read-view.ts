import {
  allOf,
  type Day,
  defaultInterval,
  type StatisticsQuery,
  type StatisticsRepository,
  showCurrentVisitors,
  showOverview,
  type TimeZone,
  valueFilter,
  type Website,
} from '@hitherto/domain';
import { type Figures, figuresOf, formatAddress } from '@hitherto/domain/format';
import { type CardView, type EventProperties, LIST_LENGTH, LISTED_DIMENSIONS, makeCards } from './cards.ts';
import { type ChartView, makeChart } from './chart-view.ts';
import type { Selection } from './selection.ts';

/** What the statistics page shows. Texts from outside are as they were stored: components escape them. */
export interface StatisticsView {
  readonly website: WebsiteView;
  readonly selection: Selection;
  /** Whether the viewer is signed in as the owner, who finds the way back to the settings. */
  readonly isOwner: boolean;
  readonly currentVisitors: number;
  readonly today: Day;
  readonly figures: Figures;
  readonly before: Figures;
  readonly chart: ChartView;
  readonly cards: readonly CardView[];
  readonly notes: NotesView;
}

export interface WebsiteView {
  readonly id: string;
  /** Without the scheme. */
  readonly address: string;
}

/** What the footer says of the numbers. */
export interface NotesView {
  readonly timeZone: string;
  readonly excludesBots: boolean;
  /** The first day with a hit. */
  readonly firstDay: Day | undefined;
}

/** What a statistics page needs. */
export interface StatisticsSources {
  readonly statistics: StatisticsRepository;
  /** The website's. */
  readonly zone: TimeZone;
  readonly now: () => Date;
}

/** The most properties of an event that have a list on the page. */
const MAX_PROPERTIES = 8;

/** All that the statistics page of a website shows; the caller has checked that it may be seen. */
export async function readStatisticsView(
  sources: StatisticsSources,
  website: Website,
  selection: Selection,
  today: Day,
  isOwner: boolean,
): Promise<StatisticsView> {
  const { statistics, zone } = sources;
  const now = sources.now();
  const query = queryOf(website, selection);
  const interval = defaultInterval(selection);
  const [{ current, previous, values }, properties, currentVisitors, notes] = await Promise.all([
    showOverview(sources, query, interval, LISTED_DIMENSIONS, LIST_LENGTH),
    readProperties(statistics, query, selection),
    showCurrentVisitors(sources, website.id),
    readNotes(sources, website),
  ]);
  return {
    website: { id: website.id, address: formatAddress(website.url) },
    selection,
    isOwner,
    currentVisitors,
    today,
    figures: figuresOf(current.totals),
    before: figuresOf(previous.totals),
    chart: makeChart(
      {
        websiteId: website.id,
        selection,
        interval,
        points: current.points,
        before: previous.points,
        zone,
        today,
        now,
      },
      notes.firstDay,
    ),
    cards: makeCards({
      websiteId: website.id,
      selection,
      visitors: current.totals.visitors,
      values,
      properties,
    }),
    notes,
  };
}

export function queryOf({ id }: Website, { from, to, filters }: Selection): StatisticsQuery {
  return {
    websiteId: id,
    from,
    to,
    filters: allOf(filters.map(({ dimension, value }) => valueFilter(dimension, value))),
  };
}

/** What the footer says. */
export async function readNotes(
  { statistics, zone }: Pick<StatisticsSources, 'statistics' | 'zone'>,
  website: Website,
): Promise<NotesView> {
  const firstDay = await statistics.firstDay(website.id);
  return { timeZone: zone.name, excludesBots: website.excludeBots, firstDay };
}

/** The properties of the filtered event, including the one that is shown. */
async function readProperties(
  statistics: StatisticsRepository,
  query: StatisticsQuery,
  { filters, property: front }: Selection,
): Promise<EventProperties | undefined> {
  const event = filters.find(({ dimension }) => dimension === 'event')?.value;
  if (event === undefined || event === null) return undefined;
  const known = await statistics.propertyNames(query, event);
  const names = known.filter((name, index) => index < MAX_PROPERTIES || name === front);
  const values = await Promise.all(
    names.map(async (name) => [name, await statistics.propertyValues(query, event, name, LIST_LENGTH)] as const),
  );
  return { event, values };
}
