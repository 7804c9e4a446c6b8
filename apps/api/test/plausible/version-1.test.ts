import { afterAll, describe, expect, test } from 'vitest';
import { SITE, startDummySite } from './site.ts';

const { api, inject, get } = await startDummySite();
afterAll(() => api.app.close());

describe('version 1', () => {
  test('has the totals, compared if that is wanted', async () => {
    const { body } = await get('stats/aggregate?period=30d&metrics=visitors,events');
    const { body: compared } = await get('stats/aggregate?period=day&metrics=visitors&compare=previous_period');

    expect(body).toEqual({ results: { visitors: { value: 4 }, events: { value: 5 } } });
    expect(compared).toEqual({ results: { visitors: { value: 2, change: 0 } } });
  });

  test('has series with empty days, and lists of values', async () => {
    const { body: series } = await get('stats/timeseries?period=7d&interval=date');
    const { body: list } = await get(
      'stats/breakdown?period=7d&property=visit:country&metrics=visitors,visits&limit=1',
    );
    const { body: filtered } = await get(
      'stats/breakdown?period=7d&property=visit:os&filters=visit:country%3D%3DEE%7CFR',
    );

    expect(series.results.map(({ visitors }: { visitors: number }) => visitors)).toEqual([0, 0, 0, 0, 0, 2, 2]);
    expect(list).toEqual({ results: [{ country: 'DE', visitors: 3, visits: 3 }] });
    expect(filtered).toEqual({ results: [{ os: 'GNU/Linux', visitors: 1 }] });
  });

  test('has the conversion rate of each group, but of all visitors for goals and totals', async () => {
    const metrics = 'metrics=visitors,conversion_rate&filters=event:goal%3D%3DSign%20up';
    const days = await get(`stats/timeseries?period=7d&${metrics}`);
    const countries = await get(`stats/breakdown?period=7d&property=visit:country&${metrics}`);
    const byRate = await get(
      'stats/breakdown?period=7d&property=visit:country&metrics=conversion_rate&filters=event:goal%3D%3DSign%20up',
    );
    const goals = await get('stats/breakdown?period=7d&property=event:goal&metrics=visitors,conversion_rate');
    const totals = await get(`stats/aggregate?period=7d&${metrics}`);

    expect(days.body.results.slice(-3)).toEqual([
      { date: '2026-11-18', visitors: 0, conversion_rate: 0 },
      { date: '2026-11-19', visitors: 1, conversion_rate: 50 },
      { date: '2026-11-20', visitors: 1, conversion_rate: 50 },
    ]);
    expect(countries.body.results).toEqual([
      { country: 'DE', visitors: 1, conversion_rate: 33.33 },
      { country: 'EE', visitors: 1, conversion_rate: 100 },
    ]);
    expect(byRate.body.results.map(({ country }: { country: string }) => country)).toEqual(['EE', 'DE']);
    expect(goals.body.results).toEqual([{ goal: 'Sign up', visitors: 2, conversion_rate: 50 }]);
    expect(totals.body.results).toEqual({ visitors: { value: 2 }, conversion_rate: { value: 50 } });
  });

  test('leaves out visits without a value, as far as Plausible does, before it pages', async () => {
    const sources = await get('stats/breakdown?period=7d&property=visit:utm_source&limit=1');
    const media = await get('stats/breakdown?period=7d&property=visit:utm_medium&limit=1');
    const entryPages = await get('stats/breakdown?period=7d&property=visit:entry_page');
    const systems = await get('stats/breakdown?period=7d&property=visit:os&limit=1');

    expect(sources.body.results).toEqual([{ utm_source: 'nl', visitors: 2 }]);
    expect(media.body.results).toEqual([{ utm_medium: 'email', visitors: 1 }]);
    expect(entryPages.body.results.map((row: { entry_page: string }) => row.entry_page)).toEqual([
      '/blog/A',
      '/docs',
      '/pricing',
    ]);
    expect(systems.body.results).toEqual([{ os: '(not set)', visitors: 1 }]);
  });

  test('has the current visitors, the sites and the goals', async () => {
    const current = await get('stats/realtime/visitors');
    const sites = await get('sites');
    const site = await get(`sites/${SITE}`);
    const goals = await get('sites/goals');

    expect(current).toEqual({ status: 200, body: 0 });
    expect(sites.body.sites).toContainEqual({ domain: SITE, timezone: 'UTC' });
    expect(site.body).toEqual({ domain: SITE, timezone: 'UTC' });
    expect(goals.body.goals).toMatchObject([{ display_name: 'Sign up', goal_type: 'event', event_name: 'Signup' }]);
  });

  test('has a page of sites, and where the next one begins', async () => {
    for (const url of ['https://a.example', 'https://zz.example']) await api.createWebsite({ url });
    const first = await inject('GET', '/api/v1/sites?limit=1');
    const { after } = first.body.meta;
    const rest = await inject('GET', `/api/v1/sites?after=${encodeURIComponent(after)}`);

    expect(first.body).toEqual({
      sites: [{ domain: 'a.example', timezone: 'UTC' }],
      meta: { after: expect.any(String), before: null, limit: 1 },
    });
    expect(rest.body.sites).not.toContainEqual({ domain: 'a.example', timezone: 'UTC' });
    expect(rest.body.sites.at(-1)).toEqual({ domain: 'zz.example', timezone: 'UTC' });
    expect(rest.body.meta).toEqual({ after: null, before: null, limit: 100 });
  });

  test('calls a site by its alias that is a domain, or by its host', async () => {
    const aliases = ['f3a1c6a0-2b5e-4f9b-9d3f-6f0f3f4f1001', 'goatcounter:blog', 'shop.example/store'];
    const named = await api.createWebsite({ url: 'https://www.shop.example/store', aliases: aliases.join('\n') });
    const bare = await api.createWebsite({ url: 'https://bare.example:8443/a', aliases: 'matomo:3' });

    const domains = await Promise.all(
      [named, bare].map(async ({ id: site }) => (await inject('GET', `/api/v1/sites/${site}`)).body.domain),
    );
    expect(domains).toEqual(['shop.example/store', 'bare.example:8443']);
  });

  test('has no site of a name that is hard to decode', async () => {
    for (const name of ['%25F0%259F', '%2525', 'a%2Fb']) {
      expect(await inject('GET', `/api/v1/sites/${name}`)).toEqual({
        status: 401,
        body: { error: expect.any(String) },
      });
    }
  });

  test.each([
    'stats/aggregate?period=1x',
    'stats/breakdown',
    'stats/timeseries?interval=year',
    'stats/timeseries?interval=constructor',
    'stats/breakdown?property=__proto__',
    'stats/aggregate?date=9999-12-31',
    'stats/aggregate?period=custom&date=9999-12-31,9999-12-31',
    'stats/aggregate?filters=a',
  ])('rejects %s', async (path) => {
    expect(await get(path)).toEqual({ status: 400, body: { error: expect.any(String) } });
  });
});
