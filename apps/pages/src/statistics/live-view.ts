import { formatWithOffset, type TimeZone } from '@hitherto/domain/calendar';
import { formatAddress } from '@hitherto/domain/format';
import { type ShownLive, showLive } from '@hitherto/domain/reading';
import { LIVE_DIMENSIONS, type LiveDimension } from '@hitherto/domain/visits';
import { LIST_LENGTH, makeRows, type RowView } from './cards.ts';
import { clockOf } from './chart-view.ts';
import type { PageRead, StatisticsViewDependencies, WebsiteView } from './read-view.ts';
import { type Selection, withoutFilters } from './selection.ts';

/** The visitors of the last half hour, as they are shown. */
export interface LiveView extends Pick<ShownLive, 'visitors' | 'current'> {
  readonly website: WebsiteView;
  /** Of the statistics page. */
  readonly path: string;
  readonly selection: Selection;
  /** In order of time; the last one still goes on. */
  readonly minutes: readonly MinuteView[];
  readonly lists: readonly LiveList[];
  /** The time of day, to the second. */
  readonly at: string;
  readonly timeZone: string;
}

export interface MinuteView {
  /** The time of day. */
  readonly name: string;
  readonly visitors: number;
}

export interface LiveList {
  readonly dimension: LiveDimension;
  readonly rows: readonly RowView[];
  /** How many values there are besides. */
  readonly more: number;
}

/** Reads the live view; links lead to the statistics of today. */
export async function readLiveView(
  deps: Pick<StatisticsViewDependencies, 'statistics' | 'now'>,
  { website, path, selection: chosen, today, locale }: PageRead,
  zone: TimeZone,
): Promise<LiveView> {
  const period = { websiteId: website.id, from: today, to: today };
  const { statistics, now } = deps;
  const live = await statistics.reading(period, (reads) =>
    showLive({ statistics: reads, now }, website.id, LIST_LENGTH),
  );
  const { visitors, current, starts, minutes, values } = live;
  const selection: Selection = { ...withoutFilters(chosen), period: 'today', from: today, to: today };
  return {
    website: { id: website.id, address: formatAddress(website.url) },
    ...{ path, selection, visitors, current },
    minutes: starts.map((start) => ({ name: clockOf(zone, new Date(start)), visitors: minutes.get(start) ?? 0 })),
    lists: LIVE_DIMENSIONS.map((dimension) => {
      const { rows = [], total = 0 } = values.get(dimension) ?? {};
      const shown = makeRows({ locale, path, selection, visitors, isCompared: false }, dimension, rows, undefined);
      return { dimension, rows: shown, more: total - rows.length };
    }),
    at: formatWithOffset(zone, now()).slice(11, 19),
    timeZone: zone.name,
  };
}
