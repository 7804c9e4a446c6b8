import type { Day, Dimension } from '@hitherto/domain';
import type { Figures, Metric } from '@hitherto/domain/format';
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

/** A line of one number over the period, and over the period before. */
export interface ChartView {
  readonly metric: Metric;
  /** What the line shows, such as `25 Oct to 21 Nov`. */
  readonly period: string;
  /** What the dashed line shows, such as `the 28 days before`. */
  readonly comparison: string;
  readonly points: readonly PointView[];
  readonly csvHref: string;
}

/** A day, an hour, a week or a month of the chart. */
export interface PointView {
  /** As the axis marks it: `11 Nov`; empty for most. */
  readonly mark: string;
  /** In full: `Wed 11 Nov`. */
  readonly name: string;
  /** `null` where there is nothing to take a mean of; `undefined` where it lies ahead. */
  readonly value: number | null | undefined;
  readonly before: number | null | undefined;
  /** It still goes on. */
  readonly isOpen: boolean;
  /** The page of this day alone. */
  readonly href: string | undefined;
}

/** A card that holds one list, or several behind tabs. */
export interface CardView {
  /** Names the card in addresses: `#sources`. */
  readonly id: string;
  readonly lists: readonly ListView[];
}

export interface ListView {
  /** A dimension, or `property`. */
  readonly dimension: Dimension | 'property';
  readonly title: string;
  /** Of the tab, shorter. */
  readonly tab: string;
  /** The head of the first column. */
  readonly head: string;
  readonly isInFront: boolean;
  /** The page with this list in front. */
  readonly href: string;
  readonly rows: readonly RowView[];
  /** How many values there are in all. */
  readonly total: number;
  /** All values: `All 64 sources`. */
  readonly more: { readonly href: string; readonly text: string };
  readonly csvHref: string;
}

export interface RowView {
  /** As the API writes it; `null` for none. */
  readonly value: string | null;
  /** As people read it. */
  readonly label: string;
  /** Filters by the value, or takes the filter away where it is there; absent where the value cannot be filtered by. */
  readonly href: string | undefined;
  readonly isFilter: boolean;
  readonly visitors: number;
  /** Of all visitors of the period, 0 to 1. */
  readonly share: number;
  /** Of the largest row, 0 to 1: the length of the bar. */
  readonly bar: number;
  /** Of events only. */
  readonly events: number | undefined;
}
