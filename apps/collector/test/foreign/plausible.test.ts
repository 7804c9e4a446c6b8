import type { Website } from '@hitherto/domain/websites';
import { aWebsite } from '@hitherto/testing/fixtures';
import { describe, expect, test } from 'vitest';
import { readPlausibleBody } from '../../src/foreign/plausible-hit.ts';
import { serveCollector } from '../support/collector.ts';
import { FROM } from '../support/sender.ts';

const ids = ['01997c3e-0000-7000-8000-000000000001', '01997c3e-0000-7000-8000-000000000002'] as const;
const websites = [
  aWebsite({ id: ids[0], url: 'https://ex.com/shop', aliases: ['Ex.com', 'pa-Xy_1'] }),
  aWebsite({ id: ids[1], url: 'https://other.example' }),
];
const event = { n: 'pageview', u: 'https://ex.com/a', d: 'Ex.com' };

describe('POST /api/event', () => {
  const post = async (body: object, served = serveCollector({ websites })) => {
    const collector = await served;
    const response = await collector.send(body, {}, { url: '/api/event' });
    return { ...response, stored: collector.hits.stored };
  };

  test('knows a website by its alias', async () => {
    const { status, stored } = await post(event);

    expect([status, stored.map(({ websiteId }) => websiteId)]).toEqual([202, [ids[0]]]);
  });

  test('knows a website by its host, with or without "www."', async () => {
    const shop = aWebsite({ url: 'https://www.shop.example/store' });
    const statuses = await Promise.all(
      ['shop.example', 'www.shop.example', 'store.shop.example'].map(
        async (d) =>
          (await post({ ...event, d, u: 'https://shop.example/' }, serveCollector({ websites: [shop] }))).status,
      ),
    );

    expect(statuses).toEqual([202, 202, 404]);
  });

  test('does not tell by a page of another host whether a domain is tracked, however the hit is dropped', async () => {
    const asked = { ...event, u: 'https://elsewhere.invalid/' };
    const ask = async (d: string, headers: Record<string, string> = {}) => {
      const { send } = await serveCollector({ websites });
      const { status, text, headers: sent } = await send({ ...asked, d }, headers, { url: '/api/event' });
      return [status, sent['hitherto-dropped'], JSON.parse(text || '{}').detail];
    };

    const unknown = await ask('unknown.example');
    for (const headers of [{}, { 'user-agent': 'bot' }, { purpose: 'prefetch' }]) {
      for (const d of ['Ex.com', 'other.example', 'www.other.example', 'other.example,unknown.example']) {
        expect(await ask(d, headers)).toEqual(unknown);
      }
    }
    expect(unknown.slice(0, 2)).toEqual([404, undefined]);
    // Whoever knows an id reads why the hit is dropped, and a hit of the same host counts.
    expect((await ask(ids[0])).slice(0, 2)).toEqual([202, 'foreign_host']);
    expect((await ask('pa-Xy_1')).slice(0, 2)).toEqual([202, 'foreign_host']);
  });

  test('knows the id of a script, or else the host of its page', async () => {
    const known = await post({ ...event, d: 'pa-Xy_1' });
    const byHost = await post({ ...event, d: 'pa-unknown', u: 'https://www.other.example/b' });
    const neither = await post({ ...event, d: 'pa-unknown', u: 'https://nobody.example/' });

    expect([known.stored[0]?.websiteId, byHost.stored[0]?.websiteId, neither.status]).toEqual([ids[0], ids[1], 404]);
  });

  test('counts for all of several websites or for none, so that it can be sent again', async () => {
    const collector = await serveCollector({ websites, isLimited: true });
    const of = (d: string) => collector.send({ ...event, d }, {}, { url: '/api/event' });
    const hit = { type: 'event', payload: { website: ids[1], url: '/a' } };
    await of('other.example');
    await collector.ask({ method: 'POST', url: '/api/batch', payload: JSON.stringify(Array(500).fill(hit)) });
    collector.hits.stored.length = 0;

    const { status, headers } = await of('Ex.com,other.example');

    expect([status, headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(collector.hits.stored).toEqual([]);
  });

  test('counts once for a website that has several of the domains', async () => {
    const { status, stored } = await post({ ...event, d: 'Ex.com,www.ex.com,pa-Xy_1,Ex.com' });

    expect([status, stored.map(({ websiteId }) => websiteId)]).toEqual([202, [ids[0]]]);
  });

  test('counts for the first ten domains', async () => {
    const last = aWebsite({ id: ids[1], url: 'https://ex.com', aliases: ['last'] });
    const collector = serveCollector({ websites: [websites[0] ?? last, last] });
    const of = async (unknown: number) => {
      const d = [...Array(unknown).fill('nobody.example'), 'Ex.com', 'last'].join();
      return (await post({ ...event, d }, collector)).stored.splice(0).map(({ websiteId }) => websiteId);
    };

    expect([await of(8), await of(9)]).toEqual([[ids[0], ids[1]], [ids[0]]]);
  });

  test('counts for each of several websites, whatever becomes of the others', async () => {
    const { status, stored } = await post({ ...event, d: 'nobody.example, Ex.com' });
    const none = await post({ ...event, d: 'nobody.example,nobody2.example' });

    expect([status, stored.length, none.status]).toEqual([202, 1, 404]);
  });
});

describe('an engagement hit', () => {
  const measuring = websites.map((website) => ({ ...website, engagement: true }));
  const engagement = { n: 'engagement', u: 'https://ex.com/a/?utm_source=x#y', d: 'Ex.com', e: 5_000, sd: 40, v: 36 };
  const toEvents = { url: '/api/event' };

  test('is an increment of its page, of the visitor of the pageview, and no hit', async () => {
    const { send, hits, readMetrics } = await serveCollector({ websites: measuring });
    await send(event, {}, toEvents);

    const { status, headers } = await send({ ...engagement, d: 'Ex.com,other.example' }, {}, toEvents);

    expect([status, headers['hitherto-dropped']]).toEqual([202, undefined]);
    const [pageview, ...increments] = hits.stored;
    expect([pageview?.page, pageview?.view]).toEqual(['/a', undefined]);
    expect(increments).toMatchObject([
      { websiteId: ids[0], page: '/a', visitor: pageview?.visitor, measure: { seconds: 5, scroll: 40 } },
    ]);
    expect(increments[0]).not.toHaveProperty('view');
    expect(hits.dropped).toMatchObject([{ websiteId: ids[1], reason: 'no_pageview' }]);
    expect(await readMetrics()).toContain('hitherto_hits_total{outcome="counted",reason=""} 1');
  });

  test('is told to be dropped, and is not among the dropped hits, where the website does not measure', async () => {
    const { send, hits } = await serveCollector({ websites });

    const { status, headers } = await send(engagement, {}, toEvents);

    expect([status, headers['hitherto-dropped'], hits.stored, hits.dropped]).toEqual([202, 'no_pageview', [], []]);
  });

  test.each<[string, readonly Website[], Record<string, string>]>([
    ['the address is excluded', measuring.map((one) => ({ ...one, excludedIps: ['198.51.100.7'] })), {}],
    ['a bot sends it', measuring, { 'user-agent': 'a bot' }],
    ['it is a prefetch', measuring, { 'sec-purpose': 'prefetch' }],
  ])('is dropped as no_pageview where %s', async (_, served, sent) => {
    const { send, hits, crawled } = await serveCollector({ websites: served });

    const { status, headers } = await send(engagement, sent, toEvents);

    expect([status, headers['hitherto-dropped'], hits.stored, crawled]).toEqual([202, 'no_pageview', [], []]);
    expect(hits.dropped).toMatchObject([{ websiteId: ids[0], reason: 'no_pageview', hits: 1 }]);
  });
});

describe('events', () => {
  const read = (more: object) => readPlausibleBody({ ...event, ...more }, FROM)?.hit;

  test.each([
    [
      'Outbound Link: Click',
      'https://Other.example/x?q=1#y',
      { name: 'Outbound link', props: { url: 'other.example/x' } },
    ],
    [
      'Outbound Link: Click',
      'https://user:secret@other.example:8443/x',
      { name: 'Outbound link', props: { url: 'other.example/x' } },
    ],
    ['Outbound Link: Click', 'other.example/x?q=1', { name: 'Outbound link', props: { url: 'other.example/x' } }],
    ['File Download', 'https://ex.com/f.pdf', { name: 'Download', props: { url: 'ex.com/f.pdf' } }],
    ['Click', 'https://ex.com/f', { name: 'Click', props: { url: 'https://ex.com/f' } }],
  ])('%s has the name of our own tracker', (n, url, expected) => {
    expect(read({ n, p: { url } })).toMatchObject(expected);
  });

  test.each([
    ['an object', { currency: 'EUR', amount: 9.5 }],
    ['text', '{"currency":"EUR","amount":"9.5"}'],
  ])('have their revenue as properties: %s', (_, $) => {
    expect(read({ n: 'Buy', $, p: { plan: 'pro' }, i: false })).toMatchObject({
      name: 'Buy',
      props: { plan: 'pro', revenue: 9.5, currency: 'EUR' },
    });
  });

  test.each([null, 7, 'x', {}, { amount: 'x' }, { amount: '' }, []])('have no revenue of %j', ($) => {
    expect(read({ n: 'Buy', $ })?.props).toBeUndefined();
  });
});

describe('the scripts', () => {
  test.each([
    '/js/script.js',
    '/js/script.hash.outbound-links.js',
    '/js/plausible.js',
    '/js/pa-Xy_1.js',
    '/matomo.js',
    '/piwik.js',
    '/count.js',
    '/umami.js',
    '/script.js?umami',
  ])('%s is JavaScript that may be cached', async (url) => {
    const { ask } = await serveCollector({ websites });

    const { status, headers, text } = await ask({ method: 'GET', url });
    const again = await ask({ method: 'GET', url, headers: { 'if-none-match': String(headers.etag) } });

    expect([status, headers['content-type'], again.status]).toEqual([200, 'text/javascript; charset=utf-8', 304]);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=86400',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(text.length).toBeGreaterThan(1_000);
  });

  test.each(['/js/x.js', '/js/script', '/js/pa-.js', '/js/script.js.map', '/js/..%2fscript.js'])(
    '%s is 404',
    async (url) => {
      const { ask } = await serveCollector({ websites });

      expect((await ask({ method: 'GET', url })).status).toBe(404);
    },
  );
});
