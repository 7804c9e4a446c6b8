import type { Website } from '../../website/website.ts';
import type { Day } from '../calendar/days.ts';
import type { CountedHit, DropReason, Hit, HitDetails, HitLookups } from '../hit.ts';
import { attributionOf, type Referrer, readReferrer } from './attribution.ts';
import {
  compileExcludedNetworks,
  type ExcludedEntry,
  type ExcludedNetworks,
  findExcluded,
} from './excluded-networks.ts';
import { compileExcludedParameters, type ExcludedParameters } from './excluded-parameters.ts';
import { hostOf, isWithin, type PageUrl, type RemovedParameter, readPageUrl } from './page-url.ts';
import { visitorOf } from './visitor.ts';

/** What counting needs of a website's settings, compiled once for many hits; made by {@link compileSettings}. */
export interface CountingSettings {
  readonly websiteId: string;
  readonly host: string;
  readonly excludeBots: boolean;
  readonly excludedParameters: ExcludedParameters;
  readonly excludedNetworks: ExcludedNetworks;
}

/** Why a hit is not counted. */
export interface Drop {
  readonly reason: DropReason;
  /** The entry of `exclude_ips` that decided; `null` for every other reason. */
  readonly rule: ExcludedEntry | null;
  /** A sentence for the website's owner. */
  readonly detail: string;
}

/** A hit that counts, or why it does not. */
export type Judgement =
  | { readonly drop: Drop }
  | { readonly drop: undefined; readonly details: HitDetails; readonly removedParameters: readonly RemovedParameter[] };

export function compileSettings(
  website: Pick<Website, 'id' | 'url' | 'excludeBots' | 'excludedParams' | 'excludedIps'>,
): CountingSettings {
  return {
    websiteId: website.id,
    host: hostOf(new URL(website.url)),
    excludeBots: website.excludeBots,
    excludedParameters: compileExcludedParameters(website.excludedParams),
    excludedNetworks: compileExcludedNetworks(website.excludedIps),
  };
}

/**
 * Decides whether a hit counts, by the first rule that applies (statistics.md, section 3), and what is kept of it
 * (section 4).
 */
export function judgeHit(settings: CountingSettings, hit: Hit, lookups: HitLookups): Judgement {
  if (hit.prefetch === true) {
    return dropped('prefetch', 'The browser fetched or rendered the page ahead of a visit.');
  }
  const page = readPageUrl(hit.url, settings.excludedParameters);
  if (page === undefined || !isWithin(page.host, settings.host)) {
    const detail = `The host ${page?.host ?? 'of the url'} is neither ${settings.host} nor below it.`;
    return dropped('foreign_host', detail);
  }
  const rule = hit.ip === undefined ? undefined : findExcluded(settings.excludedNetworks, hit.ip);
  if (rule !== undefined) return dropped('excluded_ip', excludedDetail(hit.ip ?? '', rule), rule);

  const referrer = readReferrer(hit.referrer, settings.host);
  if (settings.excludeBots) {
    const bot = botDetail(hit, lookups);
    if (bot !== undefined) return dropped('bot', bot);
    if (referrer !== undefined && lookups.isSpamReferrer(referrer.lookupHost)) {
      return dropped('spam_referrer', `The referrer ${referrer.host} is on the list of referrer spammers.`);
    }
  }
  return {
    drop: undefined,
    details: detailsOf(hit, page, referrer, lookups),
    removedParameters: page.removedParameters,
  };
}

/**
 * What is kept of a hit, or why it is dropped.
 *
 * @param day the day of `hit.time` in the installation's time zone
 * @param salt that day's
 */
export function countHit(
  settings: CountingSettings,
  hit: Hit,
  lookups: HitLookups,
  day: Day,
  salt: Uint8Array,
): { readonly drop: Drop } | { readonly drop: undefined; readonly counted: CountedHit } {
  const judgement = judgeHit(settings, hit, lookups);
  if (judgement.drop !== undefined) return judgement;
  const { websiteId } = settings;
  const visitor = visitorOf(salt, websiteId, hit);
  return { drop: undefined, counted: { websiteId, time: hit.time, day, visitor, ...judgement.details } };
}

function dropped(reason: DropReason, detail: string, rule: ExcludedEntry | null = null): Judgement {
  return { drop: { reason, rule, detail } };
}

function excludedDetail(ip: string, { line, entry }: ExcludedEntry): string {
  return entry.includes('/')
    ? `${ip} is in ${entry}, line ${line} of exclude_ips.`
    : `${ip} is ${entry === ip ? '' : `${entry}, `}line ${line} of exclude_ips.`;
}

function botDetail(hit: Hit, lookups: Pick<HitLookups, 'isBot'>): string | undefined {
  if (hit.automated === true) return 'The browser says that a program drives it.';
  const userAgent = hit.userAgent ?? '';
  if (userAgent === '') return hit.sender === 'browser' ? 'The hit has no user agent.' : undefined;
  return lookups.isBot(userAgent) ? 'The user agent is that of a bot.' : undefined;
}

function detailsOf(hit: Hit, page: PageUrl, referrer: Referrer | undefined, lookups: HitLookups): HitDetails {
  const userAgent = hit.userAgent ?? '';
  const { browser, os, device } =
    userAgent === '' ? ({ browser: null, os: null, device: 'other' } as const) : lookups.deviceOf(userAgent);
  return {
    host: page.host,
    page: page.page,
    ...attributionOf(page, referrer, lookups),
    country: hit.ip === undefined ? null : lookups.countryOf(hit.ip),
    language: languageOf(hit.language),
    browser,
    os,
    device,
    name: hit.name ?? null,
    props: hit.name === undefined ? null : (hit.props ?? null),
  };
}

/** The first primary subtag of an Accept-Language. */
function languageOf(accepted: string | undefined): string | null {
  return /^\s*([a-z]{2,3})(?![a-z\d])/i.exec(accepted ?? '')?.[1]?.toLowerCase() ?? null;
}
