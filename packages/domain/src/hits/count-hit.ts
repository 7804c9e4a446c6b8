import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Website } from '../websites/website.ts';
import { attributionOf, type Referrer, readReferrer } from './attribution.ts';
import { compileExcludedNetworks, type ExcludedEntry, type FindExcludedIp } from './excluded-networks.ts';
import { compileExcludedParameters, type ExcludedParameters } from './excluded-parameters.ts';
import { type Crawler, DROP_REASONS, type DropReason, type Hit, type HitDetails, type HitLookups } from './hit.ts';
import { hostOf, isWithin, type PageUrl, type RemovedParameter, readPageUrl } from './page-url.ts';
import { isSamePage } from './same-page.ts';

/** The settings of a website that counting needs, compiled once for many hits by {@link compileSettings}. */
export interface CountingSettings {
  readonly websiteId: string;
  /** The website's address. */
  readonly url: string;
  readonly host: string;
  /** Of the website's days. */
  readonly zone: TimeZone;
  readonly excludeBots: boolean;
  readonly excludedParameters: ExcludedParameters;
  /** Absent if no address is excluded. */
  readonly findExcludedIp: FindExcludedIp | undefined;
}

/** Why a hit is not counted. */
export interface Drop {
  readonly reason: DropReason;
  /** The entry of `exclude_ips` that decided; `null` for every other reason. */
  readonly rule: ExcludedEntry | null;
  /** A sentence for the website's owner. */
  readonly detail: string;
}

/** A page that a bot asked for, whether its hit counts or not. */
export interface Crawled extends Crawler {
  readonly page: string;
}

/** A hit that counts, or why it does not. */
export type Judgement = {
  /** `undefined` if the hit is not a bot's, or is dropped for a reason that comes before. */
  readonly crawled: Crawled | undefined;
} & (
  | { readonly drop: Drop }
  | { readonly drop: undefined; readonly details: HitDetails; readonly removedParameters: readonly RemovedParameter[] }
);

/**
 * Compiles the settings of a website.
 *
 * @param installation the time zone of websites without their own
 */
export function compileSettings(
  website: Pick<Website, 'id' | 'url' | 'timeZone' | 'excludeBots' | 'excludedParams' | 'excludedIps'>,
  installation: TimeZone,
): CountingSettings {
  return {
    websiteId: website.id,
    url: website.url,
    host: hostOf(new URL(website.url)),
    zone: zoneOf(website, installation),
    excludeBots: website.excludeBots,
    excludedParameters: compileExcludedParameters(website.excludedParams),
    findExcludedIp: compileExcludedNetworks(website.excludedIps),
  };
}

/** The input of the rules: a hit and the values that have been read from it. */
interface Evidence {
  readonly settings: CountingSettings;
  readonly hit: Hit;
  readonly page: PageUrl;
  readonly referrer: Referrer | undefined;
  readonly lookups: HitLookups;
}

/** The result of a rule for a hit. */
interface Finding {
  /** Why the hit is dropped; absent if it counts. */
  readonly detail?: string;
  /** The entry of `exclude_ips` that decided. */
  readonly rule?: ExcludedEntry;
  /** The page that a bot asked for. */
  readonly crawled?: Crawled;
}

const NOTHING: Finding = {};

/** A reason to drop hits. */
interface DropRule {
  /** The end of a phrase that begins with a number of hits. */
  readonly short: string;
  /** A sentence for the website's owner. */
  readonly meaning: string;
  /** `undefined` if there is nothing to tell, as with almost every hit. */
  readonly find: (evidence: Evidence) => Finding | undefined;
}

/** The rules, in the order of the reasons: the first that applies decides (counting.md). */
export const DROP_RULES: Readonly<Record<DropReason, DropRule>> = {
  prefetch: {
    short: 'of pages that were fetched ahead',
    meaning: 'The browser fetched the page ahead, without showing it.',
    find: ({ hit }) =>
      hit.prefetch === true ? { detail: 'The browser fetched or rendered the page ahead of a visit.' } : undefined,
  },
  foreign_host: {
    short: 'of another host',
    meaning: 'The page belongs to another website.',
    find: ({ settings, page }) =>
      isWithin(page.host, settings.host)
        ? undefined
        : { detail: `The host ${page.host || 'of the url'} is neither ${settings.host} nor below it.` },
  },
  same_page: {
    short: 'of a page that only changed its address',
    meaning: 'The page only changed its address, for example to remove campaign labels.',
    find: ({ settings, hit, page }) =>
      hit.sameDocument === true && hit.name === undefined && isSamePage(page, hit.referrer, settings.excludedParameters)
        ? { detail: `The page changed its address, and is still ${page.page}.` }
        : undefined,
  },
  excluded_ip: {
    short: 'of an excluded address',
    meaning: 'The IP address of the visitor is excluded.',
    find({ settings, hit: { ip } }) {
      const rule = ip === undefined ? undefined : settings.findExcludedIp?.(ip);
      return rule === undefined ? undefined : { detail: excludedDetail(ip ?? '', rule), rule };
    },
  },
  bot: {
    short: 'of bots',
    meaning: 'A bot, or a browser that a program drives.',
    // Crawlers are summed up whether or not the website excludes bots.
    find({ settings, hit, page, lookups }) {
      const detail = botDetail(hit, lookups);
      if (detail === undefined) return undefined;
      const crawled = { ...crawlerOf(hit, lookups), page: page.page };
      return settings.excludeBots ? { detail, crawled } : { crawled };
    },
  },
  spam_referrer: {
    short: 'with a spam referrer',
    meaning: 'The referrer is known spam.',
    find: ({ settings, referrer, lookups }) =>
      settings.excludeBots && referrer !== undefined && lookups.isSpamReferrer(referrer.lookupHost)
        ? { detail: `The referrer ${referrer.host} is on the list of referrer spammers.` }
        : undefined,
  },
};

/** Stands for the page of an unusable url, which is on no website. */
const NO_PAGE: PageUrl = { host: '', page: '/', labels: new Map(), paidClick: false, removedParameters: [] };

/** Whether a page is of the website, which alone can count it. */
export function isPageOf(settings: CountingSettings, url: string): boolean {
  return isWithin((readPageUrl(url, settings.excludedParameters) ?? NO_PAGE).host, settings.host);
}

/** Decides whether a hit counts, and which details are stored (counting.md). */
export function countHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Judgement {
  const page = readPageUrl(hit.url, settings.excludedParameters) ?? NO_PAGE;
  const referrer = readReferrer(hit.referrer, settings.host);
  const evidence = { settings, hit, page, referrer, lookups };
  let crawled: Crawled | undefined;
  for (const reason of DROP_REASONS) {
    const found = DROP_RULES[reason].find(evidence) ?? NOTHING;
    crawled ??= found.crawled;
    if (found.detail !== undefined)
      return { crawled, drop: { reason, rule: found.rule ?? null, detail: found.detail } };
  }
  return {
    crawled,
    drop: undefined,
    details: detailsOf(hit, page, referrer, lookups),
    removedParameters: page.removedParameters,
  };
}

function excludedDetail(ip: string, { line, entry }: ExcludedEntry): string {
  return entry.includes('/')
    ? `${ip} is in ${entry}, line ${line} of exclude_ips.`
    : `${ip} is ${entry === ip ? '' : `${entry}, `}line ${line} of exclude_ips.`;
}

/** Why a hit is a bot's; `undefined` if it is not. */
function botDetail(hit: Hit, lookups: Pick<HitLookups, 'isBot'>): string | undefined {
  if (hit.automated === true) return 'The browser says that a program drives it.';
  const userAgent = hit.userAgent ?? '';
  if (userAgent === '') return hit.sender === 'browser' ? 'The hit has no user agent.' : undefined;
  return lookups.isBot(userAgent) ? 'The user agent belongs to a bot.' : undefined;
}

/** A bot that is known by its lack of a user agent. */
const NO_AGENT: Crawler = { operator: '(no user agent)', purpose: 'other' };
/** A program that drives a browser, and has its user agent. */
const AUTOMATED_BROWSER: Crawler = { operator: '(automated browser)', purpose: 'other' };

function crawlerOf({ userAgent = '' }: Hit, lookups: Pick<HitLookups, 'isBot' | 'crawlerOf'>): Crawler {
  if (userAgent === '') return NO_AGENT;
  return lookups.isBot(userAgent) ? lookups.crawlerOf(userAgent) : AUTOMATED_BROWSER;
}

function detailsOf(hit: Hit, page: PageUrl, referrer: Referrer | undefined, lookups: HitLookups): HitDetails {
  const userAgent = hit.userAgent ?? '';
  const { browser, os, device } =
    userAgent === '' ? ({ browser: null, os: null, device: 'other' } as const) : lookups.deviceOf(userAgent);
  return Object.assign(attributionOf(page, referrer, lookups), {
    host: page.host,
    page: page.page,
    country: hit.ip === undefined ? null : lookups.countryOf(hit.ip),
    language: languageOf(hit.language),
    browser,
    os,
    device,
    name: hit.name ?? null,
    props: hit.name === undefined ? null : (hit.props ?? null),
  });
}

/** The first primary subtag of an Accept-Language. */
function languageOf(accepted: string | undefined): string | null {
  return /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(accepted ?? '')?.[1]?.toLowerCase() ?? null;
}
