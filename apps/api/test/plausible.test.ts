import type { CountedHit } from '@hitherto/domain';
import { aCountedHit } from '@hitherto/domain/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

let api: Api;
let id: string;
const SITE = 'Dummy.site';
beforeAll(async () => {
  api = await startApi();
  ({ id } = await api.createWebsite({ url: 'https://dummy.example', aliases: SITE }));
  const at = (day: string, minute: number) => new Date(`${day}T10:${String(minute).padStart(2, '0')}:00.000Z`);
  const today = api.clock.now().toISOString().slice(0, 10);
  const before = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10);
  const hit = (visitor: bigint, day: string, minute: number, more: Partial<CountedHit> = {}) =>
    aCountedHit({ websiteId: id, visitor, day, time: at(day, minute), ...NOBODY, ...more });
  await api.hits.add([
    hit(1n, before, 0, {
      page: '/pricing',
      source: 'Google',
      channel: 'Search',
      country: 'EE',
      os: 'Linux',
      utmSource: 'nl',
    }),
    hit(1n, before, 4, { name: 'Signup', page: '/pricing', props: { plan: 'pro' }, country: 'EE', os: 'Linux' }),
    hit(2n, before, 0, { page: '/blog/A', country: 'DE', os: 'macOS', utmSource: 'nl', utmMedium: 'email' }),
    hit(2n, today, 0, { page: '/docs', country: 'DE', os: 'Windows' }),
    hit(3n, today, 1, { name: 'Signup', page: '/docs', props: { plan: 'free' }, country: 'DE' }),
  ]);
  const goal = await api.send('POST', `/api/v1/websites/${id}/goals`, { json: { name: 'Sign up', event: 'Signup' } });
  expect(goal.status, goal.text).toBe(201);
});
afterAll(() => api.app.close());

const NOBODY: Partial<CountedHit> = {
  page: '/',
  name: null,
  props: null,
  referrer: null,
  source: null,
  channel: 'Direct',
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  country: null,
  browser: 'Firefox',
  os: null,
  device: 'desktop',
};

const ask = async (body: object, key?: string) => {
  const payload = { site_id: SITE, metrics: ['visitors'], date_range: 'all', ...body };
  return inject('POST', '/api/v2/query', payload, key);
};
/** Errors have the form of Plausible, and so are not those of the document. */
const inject = async (method: 'GET' | 'POST', url: string, payload?: object, key: string | null = api.key) => {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const { statusCode: status, body } = await api.app.inject({ method, url, headers, ...(payload && { payload }) });
  return { status, body: JSON.parse(body) };
};
const rowsOf = async (body: object) => {
  const answer = await ask(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results.map(({ dimensions, metrics }: { dimensions: string[]; metrics: number[] }) => [
    ...dimensions,
    ...metrics,
  ]);
};

describe('POST /api/v2/query', () => {
  test('answers in the documented shape, with the numbers of our own API', async () => {
    const metrics = ['visitors', 'visits', 'pageviews', 'events', 'views_per_visit', 'bounce_rate', 'visit_duration'];
    const { body } = await ask({ metrics });
    const { from, to } = { from: body.query.date_range[0].slice(0, 10), to: body.query.date_range[1].slice(0, 10) };
    const own = await api.send('GET', `/api/v1/websites/${id}/statistics?from=${from}&to=${to}`);
    const { data } = JSON.parse(own.text);

    expect(body).toEqual({
      results: [{ dimensions: [], metrics: [4, 4, 3, 5, 0.75, 67, 60] }],
      meta: { metric_warnings: { visitors: { code: 'visitors_per_day', warning: expect.any(String) } } },
      query: {
        site_id: SITE,
        metrics,
        date_range: [expect.stringMatching(/T00:00:00\+00:00$/), expect.stringMatching(/T23:59:59\+00:00$/)],
        filters: [],
        dimensions: [],
        order_by: [['visitors', 'desc']],
        include: {},
        pagination: { limit: 10_000, offset: 0 },
      },
    });
    expect(data).toMatchObject({
      visitors: 4,
      visits: 4,
      pageviews: 3,
      events: 2,
      bounce_rate: 0.6667,
      visit_duration: 60,
    });
  });

  test.each<[string, object, unknown[]]>([
    ['a relative range without today', { date_range: '7d' }, [[2]]],
    ['today', { date_range: 'day' }, [[2]]],
    [
      'a dimension with its names',
      { dimensions: ['visit:country_name'] },
      [
        ['Germany', 3],
        ['Estonia', 1],
      ],
    ],
    [
      'codes of countries',
      { dimensions: ['visit:country'] },
      [
        ['DE', 3],
        ['EE', 1],
      ],
    ],
    [
      'sources',
      { dimensions: ['visit:source'] },
      [
        ['Direct / None', 3],
        ['Google', 1],
      ],
    ],
    [
      'channels',
      { dimensions: ['visit:channel'] },
      [
        ['Direct', 3],
        ['Organic Search', 1],
      ],
    ],
    [
      'systems',
      { dimensions: ['visit:os'] },
      [
        ['(not set)', 1],
        ['GNU/Linux', 1],
        ['Mac', 1],
        ['Windows', 1],
      ],
    ],
    ['devices', { dimensions: ['visit:device'] }, [['Desktop', 4]]],
    [
      'two dimensions',
      { dimensions: ['visit:utm_medium', 'visit:utm_source'] },
      [
        ['(not set)', '(not set)', 2],
        ['(not set)', 'nl', 1],
        ['email', 'nl', 1],
      ],
    ],
    [
      'goals',
      { dimensions: ['event:goal'], metrics: ['visitors', 'events', 'conversion_rate'] },
      [['Sign up', 2, 2, 50]],
    ],
    [
      'a property of a goal',
      {
        dimensions: ['event:props:plan'],
        filters: [['is', 'event:goal', ['Sign up']]],
        metrics: ['visitors', 'events'],
      },
      [
        ['free', 1, 1],
        ['pro', 1, 1],
      ],
    ],
    [
      'percentages',
      { dimensions: ['visit:country'], metrics: ['visitors', 'percentage'] },
      [
        ['DE', 3, 75],
        ['EE', 1, 25],
      ],
    ],
    [
      'rates of a goal',
      { filters: [['is', 'event:goal', ['Sign up']]], metrics: ['visitors', 'conversion_rate'] },
      [[2, 50]],
    ],
    [
      'rates of groups',
      {
        filters: [['is', 'event:goal', ['Sign up']]],
        dimensions: ['visit:country'],
        metrics: ['visitors', 'conversion_rate', 'group_conversion_rate'],
      },
      [
        ['DE', 1, 25, 33.33],
        ['EE', 1, 25, 100],
      ],
    ],
    [
      'an order of its own',
      { dimensions: ['visit:country'], order_by: [['visit:country', 'desc']] },
      [
        ['EE', 1],
        ['DE', 3],
      ],
    ],
    ['a page of rows', { dimensions: ['visit:country'], pagination: { limit: 1, offset: 1 } }, [['EE', 1]]],
  ])('answers %s', async (_, body, expected) => {
    expect(await rowsOf(body)).toEqual(expected);
  });

  test.each<[string, unknown[], number]>([
    ['is', [['is', 'visit:os', ['GNU/Linux', 'Mac']]], 2],
    ['is_not', [['is_not', 'visit:country_name', ['Germany']]], 1],
    ['none', [['is', 'visit:source', ['Direct / None']]], 3],
    ['contains, with case', [['contains', 'event:page', ['/blog/a']]], 0],
    ['contains, without case', [['contains', 'event:page', ['/blog/a'], { case_sensitive: false }]], 1],
    ['contains in names', [['contains', 'visit:country_name', ['Esto']]], 1],
    ['contains_not', [['contains_not', 'event:page', ['/docs', '/pricing']]], 2],
    [
      'and of the top',
      [
        ['is', 'visit:country', ['DE']],
        ['is', 'visit:os', ['Mac']],
      ],
      1,
    ],
    [
      'or',
      [
        [
          'or',
          [
            ['is', 'visit:country', ['EE']],
            ['is', 'visit:os', ['Mac']],
          ],
        ],
      ],
      2,
    ],
    [
      'not or',
      [
        [
          'not',
          [
            'or',
            [
              ['is', 'visit:country', ['EE']],
              ['is', 'visit:os', ['Mac']],
            ],
          ],
        ],
      ],
      2,
    ],
    [
      'or of ands',
      [
        [
          'or',
          [
            [
              'and',
              [
                ['is', 'visit:country', ['DE']],
                ['is', 'visit:os', ['Mac']],
              ],
            ],
            ['is', 'visit:country', ['EE']],
          ],
        ],
      ],
      2,
    ],
    [
      'not and',
      [
        [
          'not',
          [
            'and',
            [
              ['is', 'visit:country', ['DE']],
              ['is', 'visit:os', ['Mac']],
            ],
          ],
        ],
      ],
      3,
    ],
    ['has_done', [['has_done', ['is', 'event:goal', ['Sign up']]]], 2],
    ['has_not_done', [['has_not_done', ['is', 'event:page', ['/pricing']]]], 3],
    ['goals that contain', [['contains', 'event:goal', ['Sign']]], 2],
    ['properties', [['is', 'event:props:plan', ['pro']]], 1],
    ['properties without a value', [['is', 'event:props:plan', ['(none)']]], 2],
    [
      'the documented example',
      [
        ['contains', 'event:page', ['/docs', '/pricing']],
        [
          'or',
          [
            ['not', ['is', 'visit:utm_campaign', ['Referral']]],
            ['is', 'visit:country_name', ['Estonia', 'United States of America']],
          ],
        ],
      ],
      2,
    ],
  ])('filters: %s', async (_, filters, visitors) => {
    expect(await rowsOf({ filters })).toEqual([[visitors]]);
  });

  test('groups by time, with labels of empty hours, and a second dimension', async () => {
    const days = await rowsOf({ dimensions: ['time:day'], metrics: ['visitors', 'events'] });
    const hours = await ask({ date_range: 'day', dimensions: ['time:hour'], include: { time_labels: true } });
    const both = await rowsOf({
      dimensions: ['time:day', 'visit:country'],
      order_by: [
        ['time:day', 'asc'],
        ['visit:country', 'desc'],
      ],
    });

    expect(days.map(([, ...numbers]: unknown[]) => numbers)).toEqual([
      [2, 3],
      [2, 2],
    ]);
    expect(hours.body.results).toMatchObject([{ dimensions: [expect.stringMatching(/ 10:00:00$/)], metrics: [2] }]);
    expect(hours.body.meta.time_labels).toHaveLength(24);
    expect(both.map(([, ...rest]: unknown[]) => rest)).toEqual([
      ['EE', 1],
      ['DE', 1],
      ['DE', 2],
    ]);
  });

  test('filters by a segment, and says how many rows there are, and that nothing was imported', async () => {
    const json = { name: 'Germans', filters: { country: ['DE'] } };
    await api.send('POST', `/api/v1/websites/${id}/segments`, { json });

    const { body } = await ask({
      filters: [['is', 'segment', ['Germans']]],
      dimensions: ['visit:os'],
      include: { total_rows: true, imports: true },
      pagination: { limit: 1 },
    });

    expect(body.results).toHaveLength(1);
    expect(body.meta).toMatchObject({ total_rows: 3, imports_included: false });
  });

  test('says that filters by something of an event count whole visits', async () => {
    const { body } = await ask({
      filters: [['is', 'event:page', ['/pricing']]],
      metrics: ['pageviews', 'events'],
      date_range: 'day',
    });

    expect(body.meta.metric_warnings).toMatchObject({
      pageviews: { code: 'whole_visits' },
      events: { code: 'whole_visits' },
    });
  });

  test.each<[string, object]>([
    ['scroll_depth', { metrics: ['scroll_depth'] }],
    ['total_revenue', { metrics: ['total_revenue'] }],
    ['visit:city', { dimensions: ['visit:city'] }],
    ['visit:browser_version', { filters: [['is', 'visit:browser_version', ['1']]] }],
    ['matches', { filters: [['matches', 'event:page', ['^/a']]] }],
    ['whole days', { date_range: '24h' }],
    ['days', { date_range: ['2026-02-30', '2026-03-01'] }],
    ['ends before', { date_range: ['2026-03-02', '2026-03-01'] }],
    ['date_range', { date_range: ['9999-12-31', '9999-12-31'] }],
    ['9998', { date_range: ['9999-12-31T00:00:00Z', '9999-12-31T00:59:59Z'], dimensions: ['time:hour'] }],
    ['date_range', { date_range: '9999mo' }],
    ['bounce_rate', { dimensions: ['event:page'], metrics: ['bounce_rate'] }],
    ['percentage', { metrics: ['percentage'] }],
    ['conversion_rate', { metrics: ['conversion_rate'] }],
    ['event:props', { dimensions: ['event:props:plan', 'visit:os'] }],
    [
      'one goal only',
      {
        dimensions: ['event:props:plan'],
        filters: [
          ['contains', 'event:goal', ['x']],
          ['is', 'event:goal', ['Sign up', 'Sign up']],
        ],
      },
    ],
    ['two dimensions', { dimensions: ['visit:os', 'visit:country', 'visit:source'] }],
    ['goal', { filters: [['is', 'event:goal', ['Nobody']]] }],
    ['segment', { filters: [['is', 'segment', [7]]] }],
    ['metrics', { metrics: [] }],
    ['metrics', { metrics: 'visitors' }],
    ['filters', { filters: [['is']] }],
    ['order_by', { order_by: [['events', 'asc']] }],
    ['pagination', { pagination: { limit: 0 } }],
    ['time_labels', { include: { time_labels: true } }],
    ['unknown field', { foo: 1 }],
    ['nested', { filters: [Array.from({ length: 20 }).reduce((inner) => ['not', inner], ['is', 'visit:os', ['x']])] }],
    [
      'combination',
      {
        filters: [
          [
            'or',
            Array.from({ length: 12 }, () => [
              'and',
              [
                ['is', 'visit:os', ['x']],
                ['is', 'visit:os', ['y']],
              ],
            ]),
          ],
        ],
      },
    ],
  ])('rejects what it cannot answer exactly, and names it: %s', async (named, body) => {
    const { status, body: answer } = await ask(body);

    expect([status, Object.keys(answer)]).toEqual([400, ['error']]);
    expect(answer.error).toContain(named);
  });

  test('knows a site by its host, if one website of the account has it, however many others do', async () => {
    const { id: shop } = await api.createWebsite({ url: 'https://www.shops.example/a' });
    for (const key of [api.otherKey, api.otherKey]) {
      await api.send('POST', '/api/v1/websites', { json: { url: `https://www.shops.example/${key.length}` }, key });
    }
    const statusOf = async (site_id: string) => (await ask({ site_id })).status;

    expect([await statusOf('shops.example'), await statusOf('www.shops.example')]).toEqual([200, 200]);
    await api.createWebsite({ url: 'https://www.shops.example/b' });
    expect([await statusOf('shops.example'), await statusOf('shops.example/a'), await statusOf(shop)]).toEqual([
      401, 200, 200,
    ]);
  });

  test('knows a site by its alias, its id and its address, with a key of its account alone', async () => {
    const statuses = await Promise.all(
      [SITE, id, id.toUpperCase(), 'dummy.example', 'www.dummy.example'].map(
        async (site_id) => (await ask({ site_id })).status,
      ),
    );
    const unknown = await ask({ site_id: 'nobody.example' });
    const other = await ask({}, api.otherKey);
    const reading = await ask({}, api.readKey);
    const none = await inject('POST', '/api/v2/query', {}, null);

    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect([unknown.status, other.status, reading.status]).toEqual([401, 401, 200]);
    expect(unknown.body).toEqual(other.body);
    expect([none.status, Object.keys(none.body)]).toEqual([401, ['error']]);
  });
});

describe('version 1', () => {
  const get = (path: string) => inject('GET', `/api/v1/${path}${path.includes('?') ? '&' : '?'}site_id=${SITE}`);

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

describe('errors of the paths of Plausible’s APIs', () => {
  test.each<['GET' | 'POST' | 'PUT' | 'DELETE', string, number, string | undefined]>([
    ['GET', '/api/v2/query', 405, 'OPTIONS, POST'],
    ['DELETE', '/api/v1/stats/aggregate', 405, 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v1/sites/goals', 405, 'GET, HEAD, OPTIONS'],
    ['POST', '/api/v1/sites', 405, 'GET, HEAD, OPTIONS'],
    ['GET', '/api/v1/stats/realtime', 404, undefined],
    ['GET', '/api/v1/stats', 404, undefined],
    ['POST', '/api/v2/query/', 404, undefined],
    ['GET', '/api/v1/sites/%zz', 404, undefined],
    ['GET', '/api/v1/sites/a/b', 404, undefined],
  ])('have their form: %s %s is %d', async (method, path, status, allow) => {
    const response = await api.app.inject({ method, url: path, headers: { authorization: `Bearer ${api.key}` } });

    expect([response.statusCode, response.headers['content-type'], response.headers.allow]).toEqual([
      status,
      'application/json; charset=utf-8',
      allow,
    ]);
    expect(response.json()).toEqual({ error: expect.any(String) });
  });

  test.each(['/api/v1/site', '/api/v1/statsx', '/api/v2x', '/api/v1/websites/x/stats'])(
    'do not spread to %s',
    async (path) => {
      expect((await api.send('GET', path)).problem().code).toBe('not_found');
    },
  );
});
