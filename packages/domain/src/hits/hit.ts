import type { Day } from '../calendar/days.ts';

/** A property of an event. */
export type PropertyValue = string | number | boolean;

/** The most characters of an event's name, its most properties, and the most characters of their names and strings. */
export const HIT_LIMITS = { name: 64, props: 10, propName: 40, propText: 200 } as const;

/** A character that PostgreSQL cannot store: a NUL or a lone surrogate. */
export const UNUSABLE_CHARACTER = /[\0\p{Cs}]/u;

/**
 * A pageview or event, checked and parsed. Its address and user agent are never stored. Absent fields are `undefined`.
 */
export interface Hit {
  /** Of the page, http or https. */
  readonly url: Readonly<URL>;
  readonly referrer?: Referrer | undefined;
  /** The name of an event; a pageview has none. */
  readonly name?: string | undefined;
  readonly props?: Readonly<Record<string, PropertyValue>> | undefined;
  /** The browser reports that it is automated. */
  readonly automated?: boolean | undefined;
  /** The page changed its address without loading; the referrer is its address before. */
  readonly sameDocument?: boolean | undefined;
  /** The request is a prefetch. */
  readonly prefetch?: boolean | undefined;
  /** Of the client; a server's hit may have none. */
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  /** As in Accept-Language. */
  readonly language?: string | undefined;
  /** A server's identifier of its visitor, instead of address and user agent. */
  readonly visitor?: string | undefined;
  readonly time: Date;
  /** The number of a pageview, by which its {@link Measure} finds it. */
  readonly view?: number | undefined;
  /** If there is one, this is no hit: it tells how this page was looked at since the message before. */
  readonly measure?: Measure | undefined;
  /** Without a user agent, a browser's hit counts as a bot's, a server's does not. */
  readonly sender: 'browser' | 'server';
}

/** The page before, http or https, or an Android app by its package. */
export type Referrer = Readonly<URL> | { readonly app: string };

/** How visitors arrive (counting.md). */
export const CHANNELS = [
  'Paid',
  'Email',
  'Social',
  'Search',
  'Video',
  'Affiliates',
  'Referral',
  'AI assistants',
  'Campaign',
  'Direct',
] as const;
export type Channel = (typeof CHANNELS)[number];

/** The channels that a referrer's host alone decides. */
export const REFERRER_CHANNELS = ['AI assistants', 'Video', 'Social', 'Search'] as const satisfies readonly Channel[];
export type ReferrerChannel = (typeof REFERRER_CHANNELS)[number];

/** The kinds of devices (counting.md). */
export const DEVICES = ['desktop', 'mobile', 'tablet', 'tv', 'other'] as const;
export type Device = (typeof DEVICES)[number];

/** Networks that few people visit pages from (counting.md): those of companies that rent out servers. */
export const NETWORKS = ['hosting'] as const;
export type Network = (typeof NETWORKS)[number];

/** Where a hit comes from (counting.md); `null` stands for none. */
export interface Attribution {
  readonly referrer: string | null;
  readonly source: string | null;
  readonly channel: Channel;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmContent: string | null;
  readonly utmTerm: string | null;
}

/** The details of a hit: all that is stored except its website, visitor and time. An absent string is `null`, never empty. */
export interface HitDetails extends Attribution {
  readonly host: string;
  /** The path with the rest of the query. */
  readonly page: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  /** The first primary subtag, such as `de`. */
  readonly language: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly device: Device;
  readonly network: Network | null;
  /** Of an event; `null` of a pageview. */
  readonly name: string | null;
  readonly props: Readonly<Record<string, PropertyValue>> | null;
}

/** The details of a direct pageview, from a visitor of whom nothing is known. */
export function bareDetails(host: string, page: string): HitDetails {
  return {
    host,
    page,
    referrer: null,
    source: null,
    channel: 'Direct',
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmContent: null,
    utmTerm: null,
    country: null,
    language: null,
    browser: null,
    os: null,
    device: 'other',
    network: null,
    name: null,
    props: null,
  };
}

/** The fields of a hit that are strings, or `null` for none. */
export type HitString = {
  [Field in keyof HitDetails]: HitDetails[Field] extends string | null ? Field : never;
}[keyof HitDetails];

/** A hit as it is stored (counting.md). */
export interface CountedHit extends HitDetails {
  readonly websiteId: string;
  readonly time: Date;
  readonly day: Day;
  /** 64 bits, unsigned; see `Visitors`. */
  readonly visitor: bigint;
  /** The number of a pageview among those of its visitor and day, if it may be measured. */
  readonly view?: number | undefined;
  /**
   * If there is one, this is no hit: it tells how the pageview with this `view` was looked at. Without a view it is an increment, which
   * belongs to the visitor's last pageview of this `page` until then, of those without a view.
   */
  readonly measure?: Measure | undefined;
}

/**
 * How a pageview was looked at. Of totals the greatest seconds and the greatest scroll count; the seconds of increments are added
 * (counting.md, "Engagement").
 */
export interface Measure {
  /** In which the page was visible and had the focus. */
  readonly seconds: number;
  /** The lowest edge that was visible, in percent of the document. */
  readonly scroll: number;
}

/** The accepted values: a `view` of 32 bits, and measures of views of the last day, in milliseconds. */
export const MEASURE_LIMITS = { view: 2 ** 32 - 1, seconds: 1_800, scroll: 100, age: 24 * 60 * 60 * 1_000 } as const;

/** Why a hit is not counted, in the order in which the rules apply (counting.md). */
export const DROP_REASONS = [
  'prefetch',
  'foreign_host',
  'same_page',
  'excluded_ip',
  'bot',
  'spam_referrer',
  'no_pageview',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Why operators request pages (counting.md, "Crawlers"). */
export const PURPOSES = [
  'search',
  'ai_training',
  'ai_search',
  'ai_agent',
  'seo',
  'preview',
  'monitoring',
  'other',
] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Who sends a bot, and why. */
export interface Crawler {
  /** By its name; of a bot that is on no list, the product token of its user agent. */
  readonly operator: string;
  readonly purpose: Purpose;
}

/** Lookups of user agents, addresses and hosts. All are quick and need nothing from outside the process. */
export interface HitLookups {
  /** The crawler, if the user agent is a bot's. */
  crawlerOf(userAgent: string): Crawler | undefined;
  /** Names from a closed list, as their makers write them; an unknown agent has none. */
  deviceOf(userAgent: string): { readonly browser: string | null; readonly os: string | null; readonly device: Device };
  /** ISO 3166-1 alpha-2, or `null`. Any string is accepted. */
  countryOf(ip: string): string | null;
  /** The kind of network that an address is in, or `null`. Any string is accepted. */
  networkOf(ip: string): Network | null;
  /**
   * The source of a referrer, if it is on the lists, by its host and path: `www.google.com/search`. An `android-app:` referrer
   * has its package as host.
   */
  sourceOf(address: string): { readonly name: string; readonly channel: ReferrerChannel | null } | undefined;
  /** The source that the label of a campaign names, by its name or host, if it is on the lists. */
  sourceNamed(label: string): string | undefined;
  isSpamReferrer(host: string): boolean;
}
