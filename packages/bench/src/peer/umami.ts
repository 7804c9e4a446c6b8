import { requestOf } from '../load/request.ts';
import { createHits, type HitWebsite } from '../statistics/hits.ts';

/** A running Umami 3, signed in. */
export interface Umami {
  readonly url: string;
  /** Adds a website; returns its id. */
  addWebsite(host: string): Promise<string>;
  /** Deletes a website with all its hits. */
  deleteWebsite(id: string): Promise<void>;
  /** Requests a list of a website, and discards it. */
  read(path: string): Promise<void>;
}

/** Signs in with the user and the password in the address. */
export async function openUmami(address: string): Promise<Umami> {
  const { origin, username, password } = new URL(address);
  let token = '';
  async function request<T>(path: string, method = 'GET', body?: object): Promise<T> {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} of Umami failed with ${response.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text);
  }
  const user = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  token = (await request<{ token: string }>('/auth/login', 'POST', user)).token;
  return {
    url: origin,
    addWebsite: async (host) => (await request<{ id: string }>('/websites', 'POST', { name: host, domain: host })).id,
    deleteWebsite: (id) => request(`/websites/${id}`, 'DELETE'),
    read: (path) => request(path),
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
