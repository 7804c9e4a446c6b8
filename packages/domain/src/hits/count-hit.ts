import { type StoredText, storedText } from '../base/stored-text.ts';
import { type TimeZone, zoneOf } from '../calendar/time-zone.ts';
import type { Website } from '../websites/website.ts';
import { attributionOf, type ExternalReferrer, externalReferrer } from './attribution.ts';
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
  /** Whether pageviews are measured. */
  readonly engagement: boolean;
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
  readonly text: StoredText;
}

/** A page that a bot asked for, whether its hit counts or not. */
export interface Crawled extends Crawler {
  readonly page: string;
}

/** Whether a hit counts: the details to store, or why it is dropped. */
export type Verdict = {
  /** `undefined` if the hit is not a bot's, or is dropped for a reason that comes before. */
  readonly crawled: Crawled | undefined;
  readonly removedParameters: readonly RemovedParameter[];
} & ({ readonly drop: Drop; readonly details: undefined } | { readonly drop: undefined; readonly details: HitDetails });

/**
 * Compiles the settings of a website.
 *
 * @param installation the time zone of websites without their own
 */
export function compileSettings(
  website: Pick<Website, 'id' | 'url' | 'timeZone' | 'excludeBots' | 'excludedParams' | 'excludedIps' | 'engagement'>,
  installation: TimeZone,
): CountingSettings {
  return {
    websiteId: website.id,
    url: website.url,
    host: hostOf(new URL(website.url)),
    zone: zoneOf(website, installation),
    excludeBots: website.excludeBots,
    engagement: website.engagement,
    excludedParameters: compileExcludedParameters(website.excludedParams),
    findExcludedIp: compileExcludedNetworks(website.excludedIps),
  };
}

/** A hit on which the rules decide, and what has been read from it. */
interface Case {
  readonly settings: CountingSettings;
  readonly hit: Hit;
  readonly page: PageUrl;
  readonly referrer: ExternalReferrer | undefined;
  readonly lookups: HitLookups;
}

/** What a rule has found. */
interface Applied {
  /** Why the hit is dropped, for the website's owner; absent if it counts. */
  readonly text?: StoredText | undefined;
  /** The entry of `exclude_ips` that decided. */
  readonly rule?: ExcludedEntry;
  /** The page that a bot asked for. */
  readonly crawled?: Crawled;
}

/** A reason to drop hits. */
interface DropRule {
  /** `undefined` if the rule does not apply, as with almost every hit. */
  readonly find: (hit: Case) => Applied | undefined;
}

/** The rules, in the order of the reasons: the first that applies decides (counting.md). */
export const DROP_RULES: Readonly<Record<DropReason, DropRule>> = {
  prefetch: {
    find: ({ hit }) => (hit.prefetch === true ? { text: storedText('prefetch') } : undefined),
  },
  foreign_host: {
    find: ({ settings, page }) =>
      isWithin(page.host, settings.host) ? undefined : { text: storedText('foreignHost', page.host, settings.host) },
  },
  same_page: {
    find: ({ settings, hit, page }) =>
      hit.sameDocument === true && hit.name === undefined && isSamePage(page, hit.referrer, settings.excludedParameters)
        ? { text: storedText('samePage', page.page) }
        : undefined,
  },
  excluded_ip: {
    find({ settings, hit: { ip } }) {
      const rule = ip === undefined ? undefined : settings.findExcludedIp?.(ip);
      return rule === undefined ? undefined : { text: storedText('excludedIp', ip ?? '', rule.entry, rule.line), rule };
    },
  },
  bot: {
    // Crawlers are summed up whether or not the website excludes bots.
    find({ settings, hit, page, lookups }) {
      const bot = botOf(hit, lookups);
      if (bot === undefined) return undefined;
      return { text: settings.excludeBots ? bot.text : undefined, crawled: { ...bot.crawler, page: page.page } };
    },
  },
  spam_referrer: {
    find: ({ settings, referrer, lookups }) =>
      settings.excludeBots && referrer !== undefined && lookups.isSpamReferrer(referrer.lookupHost)
        ? { text: storedText('spamReferrer', referrer.host) }
        : undefined,
  },
  // Of what comes after a pageview (`isMeasurable`): no hit is dropped for it.
  no_pageview: { find: () => undefined },
};

/**
 * Whether a pageview of this sender can count, and be measured: without one, what tells of it is dropped. Its page is not known
 * here.
 */
export function isMeasurable(
  { engagement, excludeBots, findExcludedIp }: CountingSettings,
  { ip, userAgent = '', prefetch }: Pick<Hit, 'ip' | 'userAgent' | 'prefetch'>,
  lookups: Pick<HitLookups, 'crawlerOf'>,
): boolean {
  if (!engagement || prefetch === true) return false;
  if (ip !== undefined && findExcludedIp?.(ip) !== undefined) return false;
  return !excludeBots || (userAgent !== '' && lookups.crawlerOf(userAgent) === undefined);
}

/** Whether a page is of the website, which alone can count it. */
export function isPageOf(settings: CountingSettings, url: Readonly<URL>): boolean {
  return isWithin(hostOf(url), settings.host);
}

/** Decides whether a hit counts, and which details are stored (counting.md). */
export function countHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Verdict {
  const page = readPageUrl(hit.url, settings.excludedParameters);
  const { removedParameters } = page;
  const referrer = externalReferrer(hit.referrer, settings.host);
  const one: Case = { settings, hit, page, referrer, lookups };
  let crawled: Crawled | undefined;
  for (const reason of DROP_REASONS) {
    const found = DROP_RULES[reason].find(one);
    if (found === undefined) continue;
    crawled ??= found.crawled;
    const { text, rule = null } = found;
    if (text !== undefined) return { drop: { reason, rule, text }, details: undefined, crawled, removedParameters };
  }
  return { drop: undefined, details: detailsOf(one), crawled, removedParameters };
}

/** A bot that is known by its lack of a user agent. */
const NO_AGENT: Crawler = { operator: '(no user agent)', purpose: 'other' };
/** A program that drives a browser, and has its user agent. */
const AUTOMATED_BROWSER: Crawler = { operator: '(automated browser)', purpose: 'other' };

/** The crawler that sent a hit, and how it is known; `undefined` if no bot sent it. */
function botOf(
  { automated, userAgent = '', sender }: Hit,
  lookups: Pick<HitLookups, 'crawlerOf'>,
): { readonly text: StoredText; readonly crawler: Crawler } | undefined {
  const crawler = userAgent === '' ? NO_AGENT : lookups.crawlerOf(userAgent);
  if (automated === true) {
    return { text: storedText('automated'), crawler: crawler ?? AUTOMATED_BROWSER };
  }
  if (userAgent === '') return sender === 'browser' ? { text: storedText('noAgent'), crawler: NO_AGENT } : undefined;
  return crawler && { text: storedText('bot'), crawler };
}

function detailsOf({ hit, page, referrer, lookups }: Case): HitDetails {
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
    network: hit.ip === undefined ? null : lookups.networkOf(hit.ip),
    name: hit.name ?? null,
    props: hit.name === undefined ? null : (hit.props ?? null),
  });
}

/** The first primary subtag of an Accept-Language. */
function languageOf(accepted: string | undefined): string | null {
  return /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(accepted ?? '')?.[1]?.toLowerCase() ?? null;
}
