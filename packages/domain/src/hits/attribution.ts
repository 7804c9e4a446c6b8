import { readWebUrl } from '../base/url.ts';
import type { Attribution, Channel, HitLookups, Referrer } from './hit.ts';
import { hostOf, isWithin, type PageUrl, referrerText } from './page-url.ts';

/** A referrer of another site. */
export interface ExternalReferrer {
  /** As the lists of spammers and sources look it up: with `www.`; of an `android-app:` address its package. */
  readonly lookupHost: string;
  /** As a source names it. */
  readonly host: string;
  /** Of the address, as the lists of sources look it up. */
  readonly path: string;
  /** Host and path as they are stored. */
  readonly text: string;
  readonly isApp: boolean;
}

const CHANNEL_OF_MEDIUM: ReadonlyMap<string, Channel> = new Map([
  ['email', 'Email'],
  ['e-mail', 'Email'],
  ['newsletter', 'Email'],
  ['social', 'Social'],
  ['social-media', 'Social'],
  ['social-network', 'Social'],
  ['sm', 'Social'],
  ['organic', 'Search'],
  ['video', 'Video'],
  ['affiliate', 'Affiliates'],
  ['affiliates', 'Affiliates'],
  ['referral', 'Referral'],
]);

/** No name in the DNS is longer. */
const MAX_HOST_LENGTH = 253;

/** Reads a referrer; an unusable one counts as none. */
export function readReferrer(text: string): Referrer | undefined {
  const app = /^android-app:\/\/([\w.]{1,255})(?:\/|$)/i.exec(text)?.[1]?.toLowerCase();
  return app === undefined ? readWebUrl(text) : { app };
}

/** A referrer, unless it is of the website itself or below it. */
export function externalReferrer(referrer: Referrer | undefined, websiteHost: string): ExternalReferrer | undefined {
  if (referrer === undefined) return undefined;
  if ('app' in referrer) {
    return { lookupHost: referrer.app, host: referrer.app, path: '/', text: referrer.app, isApp: true };
  }
  const host = hostOf(referrer);
  if (host === '' || host.length > MAX_HOST_LENGTH || isWithin(host, websiteHost)) return undefined;
  return {
    lookupHost: referrer.hostname.replace(/\.$/, ''),
    host,
    path: referrer.pathname,
    text: referrerText(referrer),
    isApp: false,
  };
}

/** Where a hit of this page and referrer comes from. */
export function attributionOf(
  page: Pick<PageUrl, 'labels' | 'paidClick'>,
  referrer: ExternalReferrer | undefined,
  lookups: Pick<HitLookups, 'sourceOf' | 'sourceNamed'>,
): Attribution {
  const label = (name: string) => page.labels.get(name) ?? null;
  const listed = referrer === undefined ? undefined : lookups.sourceOf(referrer.lookupHost + referrer.path);
  const known = referrer?.isApp && listed === undefined ? undefined : referrer;
  const labelled = label('utm_source') ?? label('source') ?? label('ref');
  const named = labelled === null ? undefined : lookups.sourceNamed(labelled);
  return {
    referrer: known?.text ?? null,
    source: named ?? labelled ?? listed?.name ?? known?.host ?? null,
    channel: channelOf(page, listed?.channel ?? null, known !== undefined),
    utmSource: label('utm_source'),
    utmMedium: label('utm_medium'),
    utmCampaign: label('utm_campaign'),
    utmContent: label('utm_content'),
    utmTerm: label('utm_term'),
  };
}

const CAMPAIGN_LABELS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'source',
  'ref',
] as const;

/** The first channel that fits, in the order of the contract's table. */
function channelOf(
  { labels, paidClick }: Pick<PageUrl, 'labels' | 'paidClick'>,
  listed: Channel | null,
  hasReferrer: boolean,
): Channel {
  const medium = labels.get('utm_medium')?.toLowerCase();
  if (paidClick || (medium !== undefined && isPaid(medium))) return 'Paid';
  const ofMedium = medium === undefined ? listed : CHANNEL_OF_MEDIUM.get(medium);
  if (ofMedium !== undefined && ofMedium !== null) return ofMedium;
  if (CAMPAIGN_LABELS.some((name) => labels.has(name))) return 'Campaign';
  return hasReferrer ? 'Referral' : 'Direct';
}

function isPaid(medium: string): boolean {
  return medium.includes('cp') || medium.startsWith('paid') || medium === 'ppc' || medium === 'retargeting';
}
