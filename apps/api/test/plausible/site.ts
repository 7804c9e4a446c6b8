import type { CountedHit } from '@hitherto/domain/hits';
import { aCountedHit } from '@hitherto/testing/fixtures';
import { expect } from 'vitest';
import { startApi } from '../support/api.ts';

/** The clock of the tests stands at its noon. */
export const TODAY = '2026-11-20';
export const YESTERDAY = '2026-11-19';

// The formatter puts each part of a nested array on a line of its own, but not the arguments of a call.
export const rows = (...all: readonly (readonly (string | number)[])[]) => all;
export const is = (dimension: string, ...values: readonly string[]) => ['is', dimension, values];
export const asc = (by: string) => [by, 'asc'];
export const desc = (by: string) => [by, 'desc'];

/** The nested filters of Plausible's reference. */
export const DOCUMENTED_FILTERS = [
  ['contains', 'event:page', ['/docs', '/pricing']],
  [
    'or',
    [['not', is('visit:utm_campaign', 'Referral')], is('visit:country_name', 'Estonia', 'United States of America')],
  ],
];

const UNKNOWN: Partial<CountedHit> = {
  page: '/',
  referrer: null,
  source: null,
  channel: 'Direct',
  country: null,
  os: null,
};

/** A pageview at a time such as `10:00`, of a visitor of whom nothing is known. */
export function aHit(visitor: bigint, day: string, time: string, more: Partial<CountedHit> = {}): Partial<CountedHit> {
  return { ...UNKNOWN, visitor, day, time: new Date(`${day}T${time}:00.000Z`), ...more };
}

interface Site {
  /** As requests name the website. */
  readonly name: string;
  readonly website: Readonly<Record<string, unknown>>;
  readonly hits?: readonly Partial<CountedHit>[];
  readonly goals?: readonly object[];
}

/** An API with a website, and functions that send requests in the form of Plausible. */
export async function startSite({ name, website, hits = [], goals = [] }: Site) {
  const api = await startApi();
  const { id } = await api.createWebsite(website);
  await api.hits.add(hits.map((hit) => aCountedHit({ websiteId: id, ...hit })));
  for (const json of goals) {
    const { status, text } = await api.send('POST', `/api/v1/websites/${id}/goals`, { json });
    expect(status, text).toBe(201);
  }
  /** Errors have the form of Plausible, and so are not those of the document. */
  const inject = async (method: 'GET' | 'POST', url: string, payload?: object, key: string | null = api.key) => {
    const headers = key === null ? {} : { authorization: `Bearer ${key}` };
    const { statusCode: status, body } = await api.app.inject({ method, url, headers, ...(payload && { payload }) });
    return { status, body: JSON.parse(body) };
  };
  return {
    api,
    id,
    inject,
    query: (body: object, key?: string) =>
      inject('POST', '/api/v2/query', { site_id: name, metrics: ['visitors'], date_range: 'all', ...body }, key),
    /** Gets a path of version 1. */
    get: (path: string) => inject('GET', `/api/v1/${path}${path.includes('?') ? '&' : '?'}site_id=${name}`),
  };
}

/** The name of the website of `startDummySite`. */
export const SITE = 'Dummy.site';

/** A website that is known by an alias, with four visits of three visitors. */
export function startDummySite() {
  return startSite({
    name: SITE,
    website: { url: 'https://dummy.example', aliases: SITE },
    hits: [
      aHit(1n, YESTERDAY, '10:00', {
        page: '/pricing',
        source: 'Google',
        channel: 'Search',
        country: 'EE',
        os: 'Linux',
        utmSource: 'nl',
      }),
      aHit(1n, YESTERDAY, '10:04', {
        name: 'Signup',
        page: '/pricing',
        props: { plan: 'pro' },
        country: 'EE',
        os: 'Linux',
      }),
      aHit(2n, YESTERDAY, '10:00', {
        page: '/blog/A',
        country: 'DE',
        os: 'macOS',
        utmSource: 'nl',
        utmMedium: 'email',
      }),
      aHit(2n, TODAY, '10:00', { page: '/docs', country: 'DE', os: 'Windows' }),
      aHit(3n, TODAY, '10:01', { name: 'Signup', page: '/docs', props: { plan: 'free' }, country: 'DE' }),
    ],
    goals: [{ name: 'Sign up', event: 'Signup' }],
  });
}

/** The name of the website of `startExampleSite`, as in Plausible's reference. */
export const EXAMPLE_SITE = 'dummy.site';

/** A website with what the examples of Plausible's reference ask for: three visits of three visitors. */
export function startExampleSite() {
  return startSite({
    name: EXAMPLE_SITE,
    website: { url: 'https://dummy.site' },
    hits: [
      aHit(1n, YESTERDAY, '01:00', {
        page: '/pricing',
        country: 'EE',
        os: 'Linux',
        source: 'Google',
        utmSource: 'google',
      }),
      aHit(1n, YESTERDAY, '01:04', { name: 'Signup', page: '/docs', country: 'EE', props: { is_customer: true } }),
      aHit(2n, YESTERDAY, '02:00', { page: '/Blog/a', country: 'DE', os: 'macOS', utmMedium: 'email' }),
      aHit(2n, YESTERDAY, '02:01', {
        name: 'Download',
        page: '/Blog/a',
        country: 'DE',
        props: { is_customer: false, method: 'HTTP' },
      }),
      aHit(3n, TODAY, '08:00', { page: '/', os: 'Windows' }),
    ],
    goals: [
      { name: 'Signup', event: 'Signup' },
      { name: 'Download', event: 'Download' },
      { name: 'A price', page: '/pricing' },
    ],
  });
}

/** The values and numbers of each row of a response. */
export function rowsOf(body: { readonly results: readonly { dimensions: string[]; metrics: number[] }[] }) {
  return body.results.map(({ dimensions, metrics }) => [...dimensions, ...metrics]);
}
