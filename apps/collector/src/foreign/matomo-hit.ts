import { fitName, fitProps, hostAndPath } from '@hitherto/domain/hits';
import type { ForeignHit } from './collect-foreign.ts';
import { stringOf, timeOf } from './raw-bodies.ts';

/** The parameters of a request, decoded. */
export type MatomoParameters = Readonly<Record<string, string | undefined>>;

/** Requests of plugins and of content, which are not visits of a page. */
const UNCOUNTED = ['ping', 'ca', 'c_n', 'c_i', 'ma_id', 'fa_id', 'hsr_vid', '_idvc_only'] as const;

/** A hit as trackers of Matomo send it; `undefined` if Matomo would not track it, `ignored` if it is of no use here. */
export function readMatomoHit(sent: MatomoParameters, page: string | undefined): ForeignHit | 'ignored' | undefined {
  const { idsite, rec } = sent;
  if (rec !== '1' || !idsite) return undefined;
  const event = eventOf(sent);
  if (event === undefined && UNCOUNTED.some((name) => (sent[name] ?? '0') !== '0')) return 'ignored';
  if (event === 'ignored') return 'ignored';
  const target = stringOf(sent.link) ?? stringOf(sent.download);
  // Libraries repeat the target of a link as the page.
  const url = target !== undefined && sent.url === target ? page : (stringOf(sent.url) ?? page);
  return {
    website: /-/.test(idsite) ? idsite : `matomo:${idsite}`,
    url,
    // Only our own script in the place of Matomo's says so.
    event: { referrer: stringOf(sent.urlref), ...event, ...(sent.automated === '1' ? { automated: true } : {}) },
    claims: {
      ip: stringOf(sent.cip),
      userAgent: stringOf(sent.ua),
      language: stringOf(sent.lang),
      time: claimedTime(stringOf(sent.cdt)),
    },
  };
}

/** The event of a request; `undefined` for a pageview. */
function eventOf(sent: MatomoParameters): { name: string; props: ReturnType<typeof fitProps> } | 'ignored' | undefined {
  const event = (name: string, props: object) => ({ name: fitName(name), props: fitProps(withoutBlanks(props)) });
  const { link, download, search, e_a: action, idgoal, revenue } = sent;
  if (action) return event(action, { category: sent.e_c, name: sent.e_n, value: numberOf(sent.e_v) });
  if (download) return event('Download', { url: hostAndPath(download) });
  if (link) return event('Outbound link', { url: hostAndPath(link) });
  if (search !== undefined) {
    return event('Search', { keyword: search, category: sent.search_cat, count: numberOf(sent.search_count) });
  }
  if (idgoal === '0') return sent.ec_id ? event('Order', { revenue: numberOf(revenue) }) : 'ignored';
  return idgoal ? event(`Goal ${idgoal}`, { revenue: numberOf(revenue) }) : undefined;
}

function withoutBlanks(props: object): object {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined && value !== ''));
}

function numberOf(text: string | undefined): number | string | undefined {
  return text !== undefined && text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** `2026-11-20 12:00:00` is UTC. */
function claimedTime(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : timeOf(text);
}
