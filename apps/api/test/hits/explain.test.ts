import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// api.md, "Hits": POST /api/v1/websites/{id}/explain.

let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi();
  const settings = { exclude_ips: '198.51.100.1\n203.0.113.0/24', exclude_params: 'session\nf*' };
  id = (await api.createWebsite({ url: 'https://ex.com', ...settings })).id;
});
afterAll(() => api.app.close());

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';
const aHit = (fields: object = {}) => ({ url: 'https://ex.com/a', ip: '192.0.2.1', user_agent: FIREFOX, ...fields });
const explain = (json: unknown, website = id, key = api.key) =>
  api.send('POST', `/api/v1/websites/${website}/explain`, { json, key });

describe('POST /api/v1/websites/{id}/explain', () => {
  test('says why a hit would be dropped, and by which line of the stored setting', async () => {
    const response = await explain(aHit({ ip: '203.0.113.9' }));

    expect(response.status).toBe(200);
    expect(response.text).toBe(
      '{"data":{"counted":false,"reason":"excluded_ip","detail":"203.0.113.9 is in 203.0.113.0/24, line 2 of exclude_ips.","rule":{"field":"exclude_ips","line":2,"entry":"203.0.113.0/24"},"hit":null,"hidden_by":null}}',
    );
  });

  test('shows the name and the properties of an event', async () => {
    const response = await explain(aHit({ name: 'Signup é', props: { plan: 'é', seats: 3 } }));

    expect(response.json()).toMatchObject({
      data: { hit: { kind: 'event', name: 'Signup é', props: { plan: 'é', seats: 3 } } },
    });
  });

  test('says what would be kept of a hit that counts', async () => {
    const response = await explain(
      aHit({
        url: 'https://WWW.Ex.com:443/a/?page=2&utm_source=nl&Session=1&foo=2',
        referrer: 'https://other.example/x/?q=1',
        language: 'de-DE,en;q=0.5',
      }),
    );

    expect(response.json()).toEqual({
      data: {
        counted: true,
        reason: null,
        detail: 'The hit counts as a pageview of /a?page=2.',
        rule: null,
        hit: {
          kind: 'pageview',
          host: 'ex.com',
          page: '/a?page=2',
          removed_params: [
            { name: 'utm_source', by: 'built_in' },
            { name: 'Session', by: 'exclude_params' },
            { name: 'foo', by: 'exclude_params' },
          ],
          referrer: 'other.example/x',
          source: 'nl',
          channel: 'Campaign',
          utm_source: 'nl',
          utm_medium: null,
          utm_campaign: null,
          utm_content: null,
          utm_term: null,
          country: null,
          language: 'de',
          browser: 'Firefox',
          os: 'Linux',
          device: 'desktop',
          network: null,
          name: null,
          props: null,
        },
        hidden_by: null,
      },
    });
  });

  test.each(['8.8.8.8', '::ffff:8.8.8.8', '::ffff:808:808', '0:0:0:0:0:ffff:8.8.8.8'])(
    'the country of %s is found',
    async (ip) => {
      expect((await explain(aHit({ ip }))).json()).toMatchObject({ data: { hit: { country: 'US' } } });
    },
  );

  test('a body of another type is told what this route takes', async () => {
    const response = await api.send('POST', `/api/v1/websites/${id}/explain`, { form: { url: 'x' } });

    expect(response.status).toBe(415);
    expect(response.problem().detail).toMatch(/^Send application\/json, in UTF-8/);
  });

  test.each([
    [{ url: 'https://other.example/' }, 'foreign_host'],
    [{ url: 'https://ex.com/a', referrer: 'https://ex.com/a?ref=x', same_document: true }, 'same_page'],
    [{ automated: true }, 'bot'],
    [{ user_agent: null }, 'bot'],
    [{ user_agent: 'curl/8.0' }, 'bot'],
    [{ name: 'Signup', props: { plan: 'pro' } }, null],
  ])('%j: %s', async (fields, reason) => {
    expect((await explain(aHit(fields))).json()).toMatchObject({ data: { counted: reason === null, reason } });
  });

  test.each(['localhost', 'shop.localhost', '127.0.0.1', '[::1]'])(
    'of a page on %s says what the tracker does, too',
    async (host) => {
      const local = await api.createWebsite({ url: `http://${host}:3721` });
      const { data } = (await explain(aHit({ url: `http://${host}:3721/a` }), local.id)).json<{
        data: { detail: string };
      }>();

      expect(data.detail).toMatch(/ The tracker sends hits from a local page only if its script has data-local\.$/);
    },
  );

  test('stores nothing', async () => {
    const other = await api.createWebsite({ url: 'https://ex.com/other' });
    await explain(aHit(), other.id);
    await explain(aHit({ automated: true }), other.id);

    const totals = await api.send('GET', `/api/v1/websites/${other.id}/statistics`);
    const dropped = await api.send('GET', `/api/v1/websites/${other.id}/statistics/dropped`);

    expect(totals.json()).toMatchObject({ data: { visits: 0 } });
    expect(dropped.json()).toMatchObject({ data: [] });
  });

  test('a key of scope read is enough; another account gets 404, as for an unknown website', async () => {
    expect((await explain(aHit(), id, api.readKey)).status).toBe(200);
    expect((await explain(aHit(), id.toUpperCase())).status).toBe(200);
    expect((await explain(aHit(), id, api.otherKey)).status).toBe(404);
    expect((await explain(aHit(), 'nonsense')).status).toBe(404);
  });

  test('errors are reported by member, before the website is looked up', async () => {
    const response = await explain({ website: id, url: '/a', name: '', props: [], ip: 'x' }, 'nonsense');

    expect(response.faults().toSorted()).toEqual([
      'ip invalid_ip',
      'name required',
      'props invalid_type',
      'url invalid_url',
      'website unknown',
    ]);
  });

  test('ip is required in a body without a visitor', async () => {
    expect((await explain({ url: 'https://ex.com/' })).faults()).toEqual(['ip required']);
    expect((await explain({})).faults().toSorted()).toEqual(['ip required', 'url required']);
  });
});
