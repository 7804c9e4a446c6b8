import { CHANNELS, DEVICES, type HitDetails, type HitString, NETWORKS } from './hit.ts';

/** The cards of the statistics page that show lists of values, in their order. */
export const CARDS = ['sources', 'pages', 'channels', 'countries', 'browsers', 'events'] as const;

/** All that is known of a dimension. */
export interface DimensionTraits {
  /**
   * Stands for the dimension in stored numbers, and never changes its meaning. A new dimension gets the next higher number;
   * Engines use 0 and 18.
   */
  readonly code: number;
  /** The origin of a visit's values: a field of its first hit, or all of its hits of a kind. */
  readonly from: { readonly firstHit: HitString } | 'pageviews' | 'first_pageview' | 'last_pageview' | 'events';
  /** The card that has its list. Without one, the list only has a page of its own. */
  readonly card?: (typeof CARDS)[number];
  /** How values are made readable, if they are not. */
  readonly readAs?: 'path' | 'host' | 'region' | 'language' | 'name';
  /** Describes the values, for the documentation of the API. */
  readonly about?: string;
  /** All values, if there are no others. */
  readonly values?: readonly string[];
  /** Most visits have no value: the page has the list only if one has. */
  readonly isSeldom?: boolean;
  /** Every hit has a value. */
  readonly isRequired?: boolean;
}

/**
 * All dimensions by the names of the API (api.md, "Statistics"). Their order breaks ties between hits, so new ones go to
 * the end: anywhere else they would change visits that have been made.
 */
const TABLE = {
  page: {
    code: 1,
    from: 'pageviews',
    card: 'pages',
    readAs: 'path',
  },
  entry_page: {
    code: 2,
    from: 'first_pageview',
    card: 'pages',
    readAs: 'path',
  },
  exit_page: {
    code: 3,
    from: 'last_pageview',
    card: 'pages',
    readAs: 'path',
  },
  channel: {
    code: 4,
    from: { firstHit: 'channel' },
    card: 'channels',
    readAs: 'name',
    values: CHANNELS,
    isRequired: true,
  },
  source: {
    code: 5,
    from: { firstHit: 'source' },
    card: 'sources',
    about: 'A name, a label, or the host of the referrer.',
  },
  referrer: {
    code: 6,
    from: { firstHit: 'referrer' },
    card: 'sources',
    readAs: 'path',
    about: 'Host and path of another site.',
  },
  utm_source: {
    code: 7,
    from: { firstHit: 'utmSource' },
    about: 'As in the url.',
  },
  utm_medium: {
    code: 8,
    from: { firstHit: 'utmMedium' },
    about: 'As in the url.',
  },
  utm_campaign: {
    code: 9,
    from: { firstHit: 'utmCampaign' },
    card: 'channels',
    about: 'As in the url.',
  },
  utm_content: {
    code: 10,
    from: { firstHit: 'utmContent' },
    about: 'As in the url.',
  },
  utm_term: {
    code: 11,
    from: { firstHit: 'utmTerm' },
    about: 'As in the url.',
  },
  country: {
    code: 12,
    from: { firstHit: 'country' },
    card: 'countries',
    readAs: 'region',
    about: 'ISO 3166-1 alpha-2.',
  },
  language: {
    code: 13,
    from: { firstHit: 'language' },
    card: 'countries',
    readAs: 'language',
    about: 'The first primary subtag.',
  },
  browser: {
    code: 14,
    from: { firstHit: 'browser' },
    card: 'browsers',
    about: 'As its maker writes it.',
  },
  os: {
    code: 15,
    from: { firstHit: 'os' },
    card: 'browsers',
    about: 'As its maker writes it.',
  },
  device: {
    code: 16,
    from: { firstHit: 'device' },
    card: 'browsers',
    readAs: 'name',
    values: DEVICES,
    isRequired: true,
  },
  event: {
    code: 17,
    from: 'events',
    card: 'events',
  },
  host: {
    code: 19,
    from: { firstHit: 'host' },
    card: 'pages',
    readAs: 'host',
    about: 'Of the url, without "www.".',
    isRequired: true,
  },
  network: {
    code: 20,
    from: { firstHit: 'network' },
    card: 'countries',
    readAs: 'name',
    values: NETWORKS,
    isSeldom: true,
  },
} as const satisfies Readonly<Record<string, DimensionTraits>>;

/** A characteristic that visits and hits are counted by. */
export type Dimension = keyof typeof TABLE;

/** The dimensions that a visit has from its first hit. */
export type FirstHitDimension = {
  [Name in Dimension]: (typeof TABLE)[Name]['from'] extends object ? Name : never;
}[Dimension];

/** The strings of hits that are not a dimension of a visit's first hit. */
type OtherString = Exclude<HitString, Extract<(typeof TABLE)[Dimension]['from'], object>['firstHit']>;
const OTHER_STRINGS: Readonly<Record<OtherString, OtherString>> = { page: 'page', name: 'name' };

/** Everything that depends on a dimension is derived from its row (architecture.md, "A dimension"). */
export const DIMENSION_TABLE: Readonly<Record<Dimension, DimensionTraits>> = TABLE;
export const DIMENSIONS = Object.keys(TABLE) as readonly Dimension[];
export const FIRST_HIT_DIMENSIONS: readonly FirstHitDimension[] = DIMENSIONS.filter(isOfFirstHit);

/** The fields of a hit that are strings, by the names of their columns: a dimension, or the field itself. */
export const HIT_STRINGS: Readonly<Record<string, HitString>> = {
  ...OTHER_STRINGS,
  ...mapDimensions(FIRST_HIT_DIMENSIONS, (dimension) => TABLE[dimension].from.firstHit),
};

/** How many values of a dimension a day stores: the values with the most visitors. The rest is {@link OTHER_VALUES}. */
export const MAX_VALUES_PER_DAY = 5_000;
/** Stands for all values of a day that are not stored on their own. */
export const OTHER_VALUES = '(other)';

function isOfFirstHit(dimension: Dimension): dimension is FirstHitDimension {
  return typeof TABLE[dimension].from === 'object';
}

/** The value that a visit which begins with this hit has of the dimension; `null` for none. */
export function firstHitValue(hit: HitDetails, dimension: FirstHitDimension): string | null {
  return hit[TABLE[dimension].from.firstHit];
}

/** Something for each of these dimensions, by its name. */
export function mapDimensions<Name extends Dimension, Value>(
  dimensions: readonly Name[],
  make: (dimension: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(dimensions.map((name) => [name, make(name)])) as Record<Name, Value>;
}
