import { hostOf, isWithin } from '../hits/page-url.ts';
import { bySize, type Check, NO_FIX } from './check.ts';
import { commonParent } from './common-parent.ts';

/** Of the visits with a referrer. */
export const MIN_REFERRED_SHARE = 0.1;
const MIN_VISITS = 20;

export interface SelfReferral {
  readonly host: string;
  readonly visits: number;
  /** Of all visits with a referrer. */
  readonly share: number;
}

/** A referrer that is another website of the account. */
export const selfReferral: Check<SelfReferral> = {
  find({ website, otherHosts, referringHosts, days }) {
    const own = hostOf(new URL(website.url));
    const referred = referringHosts.reduce((sum, { visits }) => sum + visits, 0);
    return referringHosts
      .filter(({ host, visits }) => otherHosts.has(host) && !isWithin(host, own) && visits >= MIN_VISITS)
      .map(({ host, visits }) => ({ host, visits, share: Math.round((1_000 * visits) / referred) / 1_000 }))
      .filter(({ share }) => share >= MIN_REFERRED_SHARE)
      .map((evidence) => ({
        subject: evidence.host,
        since: days.at(-1) ?? '',
        size: evidence.share,
        evidence,
      }))
      .sort(bySize);
  },

  fix({ host }, { url }) {
    const parent = commonParent(host, hostOf(new URL(url)));
    return parent === undefined ? NO_FIX : { kind: 'url', url: `https://${parent}` };
  },
};
