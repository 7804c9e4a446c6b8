import { readFrom } from '../load/read.ts';
import { requestOf } from '../load/request.ts';
import { createHits, type HitWebsite } from '../statistics/hits.ts';

/** A running Umami 3, signed in. */
export interface Umami {
  readonly url: string;
  /** Adds a website; returns its id. */
  addWebsite(host: string): Promise<string>;
  /** Deletes a website with all its hits. */
  deleteWebsite(id: string): Promise<unknown>;
  /** Requests a path of its API, and reads the response to its end. */
  read(path: string): Promise<unknown>;
}

/** Signs in with the user and the password in the address. */
export async function openUmami(address: string): Promise<Umami> {
  const { origin, username, password } = new URL(address);
  const api = { url: `${origin}/api` };
  const user = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  const session = await readFrom(api, '/auth/login', { method: 'POST', json: user });
  const { token: key }: { token: string } = JSON.parse(session);
  return {
    url: origin,
    async addWebsite(host) {
      const json = { name: host, domain: host };
      const { id }: { id: string } = JSON.parse(await readFrom(api, '/websites', { key, method: 'POST', json }));
      return id;
    },
    deleteWebsite: (id) => readFrom(api, `/websites/${id}`, { key, method: 'DELETE' }),
    read: (path) => readFrom(api, path, { key }),
  };
}

/**
 * Requests with which Umami's tracker reports the same pageviews that `hitRequests` sends to Hitherto. The country comes with
 * the request, as from a CDN, so Umami looks up none.
 */
export function umamiRequests(websites: readonly HitWebsite[]): () => string {
  const next = createHits(websites);
  return () => {
    const { website, url, referrer, address, userAgent, language } = next();
    const headers = {
      'content-type': 'application/json',
      accept: '*/*',
      'x-forwarded-for': address,
      'cf-ipcountry': 'DE',
      'user-agent': userAgent,
      origin: `https://${website.host}`,
    };
    const { pathname, search } = new URL(url);
    const payload = {
      website: website.id,
      hostname: website.host,
      screen: '1920x1080',
      language: language.split(',', 1)[0],
      title: 'A title of some words',
      url: pathname + search,
      referrer: referrer ?? '',
    };
    return requestOf('POST', '/api/send', headers, JSON.stringify({ type: 'event', payload }));
  };
}

/** Days to read, both included, in UTC. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The requests of Umami's page of a website when it is opened: 10 rows of each list on top, and all countries for the map. */
export function dashboardOf(id: string, days: Days): readonly string[] {
  const range = rangeOf(days);
  return [
    `/websites/${id}`,
    `/websites/${id}/active`,
    `/websites/${id}/stats?${range}`,
    `/websites/${id}/pageviews?${range}`,
    ...['path', 'referrer', 'browser', 'country'].map((type) => listOf(id, days, type)),
    `/websites/${id}/metrics?type=country&${range}`,
    `/websites/${id}/sessions/weekly?${range}`,
  ];
}

/** The first 10 rows of a list. */
export function listOf(id: string, days: Days, type: string, filter = ''): string {
  return `/websites/${id}/metrics?type=${type}&limit=10&${rangeOf(days)}${filter}`;
}

function rangeOf({ from, to }: Days): string {
  const end = Date.parse(to) + 86_400_000 - 1;
  return `startAt=${Date.parse(from)}&endAt=${end}&unit=day&timezone=UTC`;
}
