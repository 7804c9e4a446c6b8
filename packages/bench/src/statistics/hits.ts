import { randomOf } from '@hitherto/testing/random';
import { requestOf } from '../load/request.ts';

/** A website that hits are sent for. */
export interface HitWebsite {
  readonly id: string;
  readonly host: string;
}

/** Visitors at a time. */
const ACTIVE_VISITORS = 2_000;
/** How likely a hit is a visitor's last: three hits a visitor on average. */
const LAST_HIT = 1 / 3;
const PAGES = 2_000;

const SYSTEMS = [
  'Windows NT 10.0; Win64; x64',
  'Macintosh; Intel Mac OS X 10_15_7',
  'X11; Linux x86_64',
  'Linux; Android 15; Pixel 9',
  'Linux; Android 14; SM-S918B',
];
const REFERRERS = [
  'https://www.google.com/',
  'https://duckduckgo.com/',
  'https://www.bing.com/search?q=statistics',
  'https://news.example.org/2026/11/a-story',
  'https://t.co/abc',
];
const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.8,en;q=0.5', 'fr', 'pt-BR,pt;q=0.9', 'ja'];

interface Visitor {
  readonly website: HitWebsite;
  readonly address: string;
  readonly userAgent: string;
  readonly language: string;
}

/** A pageview as a browser reports it. */
export interface BrowserHit extends Visitor {
  readonly url: string;
  readonly referrer: string | undefined;
}

/**
 * Pageviews, the same for every run: of ever new visitors with three hits on average, all on one website, a quarter of them
 * on IPv6; 2,000 pages, of which few are frequent; a few hundred user agents; 40 % with a referrer, 10 % with campaign labels.
 *
 * @param active how many visitors there are at a time
 */
export function createHits(websites: readonly HitWebsite[], seed = 1, active = ACTIVE_VISITORS): () => BrowserHit {
  const { next: random, below } = randomOf(seed);
  const pick = <T>(all: readonly T[]): T => {
    const chosen = all[below(all.length)];
    if (chosen === undefined) throw new Error('There is nothing to choose from.');
    return chosen;
  };
  const group = () => below(65_536).toString(16);

  const newVisitor = (): Visitor => ({
    website: pick(websites),
    address:
      random() < 0.25
        ? `2a00:${group()}:${group()}:1::${group()}`
        : `${1 + below(222)}.${below(256)}.${below(256)}.${1 + below(254)}`,
    userAgent: userAgent(pick(SYSTEMS), 100 + Math.floor(43 * random() ** 0.2), random()),
    language: pick(LANGUAGES),
  });
  const visitors = Array.from({ length: active }, newVisitor);

  return () => {
    const place = below(active);
    const visitor = visitors[place] ?? newVisitor();
    if (random() < LAST_HIT) visitors[place] = newVisitor();
    const page = Math.floor(PAGES * random() ** 3);
    const query = random() < 0.1 ? '?utm_source=newsletter&utm_medium=email&utm_campaign=week-47' : '';
    return {
      ...visitor,
      url: `https://${visitor.website.host}/articles/${page}/a-title-of-some-words${query}`,
      referrer: random() < 0.4 ? pick(REFERRERS) : undefined,
    };
  };
}

function userAgent(system: string, version: number, kind: number): string {
  const mobile = system.includes('Android') ? ' Mobile' : '';
  if (kind < 0.2) return `Mozilla/5.0 (${system}; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`;
  const chrome = `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0${mobile} Safari/537.36`;
  return kind < 0.35 ? `${chrome} Edg/${version}.0.0.0` : chrome;
}

/** Requests with which browsers report pageviews through a proxy: their addresses are in `X-Forwarded-For`. */
export function hitRequests(websites: readonly HitWebsite[], seed?: number): () => string {
  const next = createHits(websites, seed);
  return () => {
    const hit = next();
    return requestFrom(hit, { url: hit.url, referrer: hit.referrer });
  };
}

/** How many requests come between a pageview and each of its two messages. */
const APART = 1_000;
/** The requests of a measured pageview. */
export const REQUESTS_OF_MEASURED = 3;

/** As {@link hitRequests}, with two messages about how each pageview was looked at. */
export function measuredHitRequests(websites: readonly HitWebsite[], seed?: number): () => string {
  const next = createHits(websites, seed);
  const messages: string[][] = [[], []];
  let view = 0;
  return () => {
    const due = messages.find((waiting) => waiting.length > APART)?.shift();
    if (due !== undefined) return due;
    const hit = next();
    view += 1;
    for (const [place, waiting] of messages.entries()) {
      const seconds = 10 + (view % 20) + 30 * place;
      waiting.push(requestFrom(hit, { view, seconds, scroll: 30 + 40 * place, age: 1_000 * seconds }));
    }
    return requestFrom(hit, { url: hit.url, referrer: hit.referrer, view });
  };
}

/** A message of the tracker to the website of a visitor. */
function requestFrom({ website, address, userAgent: agent, language }: Visitor, message: object): string {
  const site = `https://${website.host}`;
  const headers = {
    'content-type': 'text/plain;charset=UTF-8',
    accept: '*/*',
    'x-forwarded-for': address,
    'user-agent': agent,
    'accept-language': language,
    origin: site,
    referer: `${site}/`,
  };
  return requestOf('POST', '/hits', headers, JSON.stringify({ website: website.id, ...message }));
}
