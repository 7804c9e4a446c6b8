import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// tracker.md: POST /api/v1/hits.

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  id = (await api.createWebsite({ url: 'https://ex.com', exclude_ips: '203.0.113.0/24' })).id;
});
afterAll(() => api.app.close());

const aHit = (fields: object = {}) => ({ website: id, url: 'https://ex.com/a', ip: '192.0.2.1', ...fields });
const collect = (hits: readonly unknown[], more: object = {}) =>
  api.send('POST', '/api/v1/hits', { json: { hits, ...more } });
const pageviewsOf = async (page: string) =>
  (await api.send('GET', `/api/v1/websites/${id}/statistics?page=${encodeURIComponent(page)}`)).json<{
    data: { pageviews: number };
  }>().data.pageviews;

describe('POST /api/v1/hits', () => {
  test('counts hits and lists the dropped ones', async () => {
    const response = await collect([
      aHit({ url: 'https://ex.com/new?utm_source=nl', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0' }),
      aHit({ url: 'https://ex.com/new', name: 'Signup', props: { plan: 'pro', seats: 3, paid: true } }),
      aHit({ url: 'https://other.example/' }),
      aHit({ user_agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' }),
      aHit({ visitor: 'user-17', ip: '203.0.113.9' }),
    ]);

    expect(response.status).toBe(202);
    expect(response.text).toBe(
      '{"data":{"counted":2,"dropped":[{"index":2,"reason":"foreign_host"},{"index":3,"reason":"bot"},{"index":4,"reason":"excluded_ip"}]}}',
    );
    expect(await pageviewsOf('/new')).toBe(1);
    expect((await api.send('GET', `/api/v1/websites/${id}/statistics/dropped`)).json()).toMatchObject({
      data: expect.arrayContaining([{ reason: 'bot', hits: 1 }]),
    });
  });

  test('a request without a body is 422: hits are required', async () => {
    const response = await api.send('POST', '/api/v1/hits');

    expect(response.status).toBe(422);
    expect(response.faults()).toEqual(['hits required']);
  });

  test('a hit without a user agent is not a bot, and null counts as absent', async () => {
    const response = await collect([aHit({ user_agent: null, referrer: null, name: null, props: null, time: null })]);

    expect(response.json()).toEqual({ data: { counted: 1, dropped: [] } });
  });

  test('visitor identifies the visitor in place of address and user agent', async () => {
    const { ip: _, ...hit } = aHit({ visitor: 'é', url: 'https://ex.com/visitor' });

    expect((await collect([hit, hit])).json()).toMatchObject({ data: { counted: 2 } });
    const response = await api.send('GET', `/api/v1/websites/${id}/statistics?page=/visitor`);
    expect(response.json()).toMatchObject({ data: { visitors: 1, pageviews: 2 } });
  });

  test('a hit counts on the day of its time', async () => {
    await collect([aHit({ url: 'https://ex.com/late', time: '2026-11-19T23:59:59.999-00:00' })]);

    const day = `/api/v1/websites/${id}/statistics?from=2026-11-19&to=2026-11-19&page=/late`;
    expect((await api.send('GET', day)).json()).toMatchObject({ data: { visits: 1 } });
  });

  test.each([
    ['24 hours old', '2026-11-19T12:00:00Z', []],
    ['older', '2026-11-19T11:59:59.999Z', ['hits.0.time not_allowed']],
    ['5 minutes ahead', '2026-11-20T13:05:00+01:00', []],
    ['further ahead', '2026-11-20T12:05:00.001Z', ['hits.0.time not_allowed']],
    ['no RFC 3339', '2026-11-20', ['hits.0.time not_allowed']],
  ])('time is at most 24 hours ago and 5 minutes ahead: %s', async (_, time, faults) => {
    const response = await collect([aHit({ time })]);

    expect(response.status === 202 ? [] : response.faults()).toEqual(faults);
  });

  test('the letter case of the website id does not matter', async () => {
    expect((await collect([aHit({ website: id.toUpperCase() })])).status).toBe(202);
  });
});

describe('invalid requests', () => {
  test('the errors of all hits are reported at once, by index and member', async () => {
    const { ip: _, ...anonymous } = aHit();
    const { url: __, ...nowhere } = aHit();
    const response = await collect([
      aHit(),
      anonymous,
      nowhere,
      aHit({ url: '/a', name: 'a\u0000', ip: '1.2.3' }),
      aHit({ props: { a: 1 } }),
      aHit({ name: 'x'.repeat(65), props: { a: [], ['k'.repeat(41)]: 'x'.repeat(201) } }),
      aHit({ page: '/a', automated: 'yes', visitor: '' }),
      7,
      null,
      { website: id, url: 7, visitor: 'v' },
    ]);

    expect(response.status).toBe(422);
    expect(response.faults().toSorted()).toEqual(
      [
        'hits.1.ip required',
        'hits.2.url required',
        'hits.3.ip invalid_ip',
        'hits.3.name invalid_name',
        'hits.3.url invalid_url',
        'hits.4.props not_allowed',
        'hits.5.name too_long',
        'hits.5.props.a invalid_type',
        'hits.6.automated invalid_type',
        'hits.6.page unknown',
        'hits.6.visitor required',
        'hits.7 invalid_type',
        'hits.8 invalid_type',
        'hits.9.url invalid_type',
      ].toSorted(),
    );
  });

  test('a batch with an invalid hit is not stored at all', async () => {
    await collect([aHit({ url: 'https://ex.com/whole' }), aHit({ url: 'nonsense' })]);

    expect(await pageviewsOf('/whole')).toBe(0);
  });

  test("another account's website, or none, has the field code unknown_website", async () => {
    const hits = [aHit({ url: 'https://ex.com/foreign' }), aHit({ website: 'nonsense' })];

    const unknown = await collect(hits);
    const foreign = await api.send('POST', '/api/v1/hits', { json: { hits: [hits[0]] }, key: api.otherKey });

    expect(unknown.faults()).toEqual(['hits.1.website unknown_website']);
    expect(foreign.faults()).toEqual(['hits.0.website unknown_website']);
    expect(await pageviewsOf('/foreign')).toBe(0);
  });

  test.each([
    ['no list', {}, ['hits required']],
    ['an empty list', { hits: [] }, ['hits not_allowed']],
    ['an object', { hits: {} }, ['hits invalid_type']],
    ['501 hits', { hits: Array.from({ length: 501 }, () => ({})) }, ['hits too_many']],
    ['null and an unknown member', { hits: null, more: 1 }, ['more unknown', 'hits invalid_type']],
  ])('%s is rejected: a batch has 1 to 500 hits', async (_name, json, faults) => {
    const response = await api.send('POST', '/api/v1/hits', { json });

    expect(response.status).toBe(422);
    expect(response.faults()).toEqual(expect.arrayContaining(faults));
  });

  test.each([
    ['20,001 hits', Array.from({ length: 20_001 }, () => ({})), 'hits too_many'],
    ['an object with a number as its length', { length: 30_000 }, 'hits invalid_type'],
    ['an object with a text as its length', { length: 'x' }, 'hits invalid_type'],
  ])('%s is 422, however many hits wait', async (_name, hits, fault) => {
    const response = await api.send('POST', '/api/v1/hits', { json: { hits } });

    expect(response.status).toBe(422);
    expect(response.faults()).toContain(fault);
  });

  test('a body full of faulty hits is rejected in less than 2 s of CPU time', async () => {
    const hits = Array.from({ length: 300_000 }, () => ({}));
    const start = process.cpuUsage();

    const response = await api.send('POST', '/api/v1/hits', { json: { hits } });

    expect(response.faults()).toContain('hits too_many');
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(2_000);
  });

  test('20,000 faulty fields take at most five times the CPU time of valid ones', async () => {
    const cpuTime = async (path: string, bodyOf: (fields: string) => string, value: string) => {
      const fields = Array.from({ length: 20_000 }, (_, index) => `"m${index}":${value}`).join();
      const sent = { body: bodyOf(fields), headers: { 'content-type': 'application/json' } };
      const times: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const start = process.cpuUsage();
        const response = await api.send('POST', path, sent);
        times.push(process.cpuUsage(start).user / 1_000);
        expect(response.status).toBe(422);
      }
      return Math.min(...times);
    };
    const explain = `/api/v1/websites/${id}/explain`;

    const valid = await cpuTime(explain, (fields) => `{"props":{${fields}}}`, '1');
    const properties = await cpuTime(explain, (fields) => `{"props":{${fields}}}`, '[]');
    const unknown = await cpuTime('/api/v1/hits', (fields) => `{"hits":[{${fields}}]}`, '1');

    expect(properties).toBeLessThan(5 * valid);
    expect(unknown).toBeLessThan(5 * valid);
  });

  test('of the name of a property, only letters, digits, _ and - are repeated', async () => {
    const response = await collect([
      aHit({ name: 'n', props: { '<b>.é': 'x'.repeat(201) } }),
      aHit({ name: 'n', props: { '<b>.é': [] } }),
    ]);

    expect(response.faults().toSorted()).toEqual(['hits.0.props._b___ too_long', 'hits.1.props._b___ invalid_type']);
  });

  test('500 hits are accepted, and at most 100 errors are listed', async () => {
    const hits = Array.from({ length: 500 }, () => aHit());

    expect((await collect(hits)).json()).toMatchObject({ data: { counted: 500 } });
    expect((await collect(hits.map(() => ({})))).problem().errors).toHaveLength(100);
  });

  test('a form is 415, malformed JSON 400, a query parameter 422', async () => {
    const form = await api.send('POST', '/api/v1/hits', { form: { hits: 'x' } });
    const malformed = await api.send('POST', '/api/v1/hits', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    const query = await api.send('POST', '/api/v1/hits?a=1', { json: { hits: [aHit()] } });

    expect([form.status, malformed.status]).toEqual([415, 400]);
    expect(form.problem().detail).toMatch(/^Send application\/json, in UTF-8/);
    expect(query.faults()).toEqual(['a unknown']);
  });

  test('a key of scope read is 403, no key is 401', async () => {
    const json = { hits: [aHit()] };

    expect((await api.send('POST', '/api/v1/hits', { json, key: api.readKey })).status).toBe(403);
    expect((await api.send('POST', '/api/v1/hits', { json, key: null })).status).toBe(401);
  });
});
