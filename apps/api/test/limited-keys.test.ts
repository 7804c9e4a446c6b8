import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// A key that reaches some websites of its account (api.md, "Authentication"; people.md, "Roles").

const WEBSITES = '/api/v1/websites';
const NOW = '2026-11-20T12:00:00.000Z';

/** Bodies that a website of one's own accepts, by the last part of the path. */
const BODIES: Readonly<Record<string, object>> = {
  '': { url: 'https://new.example' },
  segments: { name: 'Readers', filters: { os: ['Linux'] } },
  goals: { name: 'Signup', event: 'Signup' },
  funnels: {
    name: 'Buying',
    steps: [
      { name: 'Home', page: '/' },
      { name: 'Signed up', event: 'Signup' },
    ],
  },
  annotations: { day: '2026-11-20', text: 'Launch' },
  links: { name: 'Board' },
  recipients: { email: 'client@example.com' },
  alerts: { rule: 'silence', hours: 24 },
  cleanups: { name: 'One page', filters: { bounce: ['1'] } },
  'patch cleanups': { name: 'One' },
  'cleanups/preview': { filters: { bounce: ['1'] } },
  'settings/preview': { exclude_params: 'filter' },
  'page-rules': { rules: [] },
  explain: { url: 'https://other.example/', ip: '203.0.113.7', user_agent: 'Mozilla/5.0' },
};
const OWNED = ['segments', 'goals', 'funnels', 'annotations', 'links', 'recipients', 'alerts', 'cleanups'];

let api: Api;
/** Of the key. */
let own: string;
/** Of the same account. */
let other: string;
let key: string;
/** The ids of what belongs to the other website, by the last part of their path. */
const ids = new Map<string, string>();

beforeAll(async () => {
  api = await startApi();
  own = (await api.createWebsite({ url: 'https://own.example' })).id;
  other = (await api.createWebsite({ url: 'https://other.example', aliases: 'other-alias' })).id;
  for (const kind of OWNED) {
    const response = await api.send('POST', `${WEBSITES}/${other}/${kind}`, { json: BODIES[kind] });
    expect([kind, response.status, response.text]).toEqual([kind, kind === 'cleanups' ? 202 : 201, expect.anything()]);
    ids.set(kind, response.json<{ data: { id: string } }>().data.id);
  }
  key = (await api.issue(api.accountId, { websiteIds: [own] })).text;
});
afterAll(() => api.app.close());

describe('Another website of the account is the 404 of an unknown id, byte for byte', () => {
  test('for every method of every path of a website', async () => {
    const tried: string[] = [];
    for (const [template, methods] of Object.entries(api.document.paths)) {
      if (!template.includes('{id}')) continue;
      const last = template.replace(/^.*\{id\}/, '').replace(/^\/|\/\{\w+\}$/g, '');
      const pathOf = (id: string, part: string) =>
        template
          .replace('{id}', id)
          .replace('{dimension}', 'page')
          .replace(/\{\w+\}/, part)
          .replace('/by/property', '/by/property?event=Signup&property=plan')
          .replace(/(?<=\/stats\/.*)$/, '?name=os');
      for (const method of Object.keys(methods)) {
        const json = ['post', 'put', 'patch'].includes(method)
          ? (BODIES[`${method} ${last}`] ?? BODIES[last])
          : undefined;
        const isFile = method === 'post' && ['imports', 'coverage'].includes(last);
        const body = isFile ? { body: 'date,page\n', headers: { 'content-type': 'text/csv' } } : {};
        const answers = await Promise.all(
          [pathOf(other, ids.get(last) ?? randomUUID()), pathOf(randomUUID(), randomUUID())].map(async (path) => {
            const sent = { key, ...(json === undefined ? {} : { json }), ...body };
            const { status, text, headers } = await api.send(method.toUpperCase(), path, sent);
            const { 'x-request-id': _, ...rest } = headers;
            return { status, text: text.replace(/"request_id":"[^"]*"/, ''), headers: rest };
          }),
        );
        tried.push(`${method} ${template}`);
        expect([method, template, answers[0]]).toEqual([method, template, answers[1]]);
        expect([method, template, [403, 404].includes(answers[0]?.status ?? 0)]).toEqual([method, template, true]);
      }
    }
    expect(tried.length).toBeGreaterThan(60);
    const kept = await api.send('GET', `${WEBSITES}/${other}`);
    expect(kept.website().url).toBe('https://other.example');
  });

  test('while its own website answers', async () => {
    for (const path of ['', '/statistics', '/goals', '/links', '/recipients', '/alerts', '/imports', '/annotations']) {
      expect([path, (await api.send('GET', `${WEBSITES}/${own}${path}`, { key })).status]).toEqual([path, 200]);
    }
    expect((await api.send('PATCH', `${WEBSITES}/${own}`, { key, json: { exclude_bots: 0 } })).status).toBe(200);
  });

  test('its hits are rejected as those of an unknown website', async () => {
    const hit = { ip: '203.0.113.7', user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0', time: NOW };
    const send = (website: string) =>
      api.send('POST', '/api/v1/hits', { key, json: { hits: [{ website, url: 'https://other.example/', ...hit }] } });
    const [hidden, unknown] = [await send(other), await send(randomUUID())];
    expect([hidden.status, hidden.faults()]).toEqual([unknown.status, unknown.faults()]);
    expect(hidden.status).toBe(422);
    expect((await send(own)).status).toBe(202);
  });

  test('its names lead nowhere in the API of Plausible and for assistants', async () => {
    const ask = async (url: string) => api.app.inject({ url, headers: { authorization: `Bearer ${key}` } });
    for (const name of ['other.example', 'other-alias', other]) {
      const { statusCode } = await ask(`/api/v1/stats/aggregate?site_id=${name}&period=day`);
      expect([name, statusCode]).toEqual([name, 401]);
    }
    expect((await ask(`/api/v1/stats/aggregate?site_id=own.example&period=day`)).statusCode).toBe(200);
    expect((await ask('/api/v1/sites')).json()).toMatchObject({ sites: [{ domain: 'own.example' }] });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_websites', arguments: {} } };
    const { text } = await api.send('POST', '/mcp', { key, json: call });
    expect(text).toContain('own.example');
    expect(text).not.toContain('other.example');
  });
});

describe('Lists, totals, search and changes show what the key reaches', () => {
  test('the list of websites', async () => {
    const list = (await api.send('GET', WEBSITES, { key })).list();
    expect(list.data.map(({ id }) => id)).toEqual([own]);
    expect(list.meta).toMatchObject({ total: 1, total_is_exact: true });
    expect((await api.send('GET', `${WEBSITES}?search=other`, { key })).list().meta.total).toBe(0);
  });

  test('the audit trail', async () => {
    const changes = async (sent: object) =>
      (await api.send('GET', '/api/v1/audit?per_page=100', sent)).json<{ data: { website_id: string | null }[] }>();
    expect(new Set((await changes({ key })).data.map((each) => each.website_id))).toEqual(new Set([own]));
    expect((await changes({})).data.map((each) => each.website_id)).toContain(other);
    expect((await api.send('GET', `/api/v1/audit?website=${other}`, { key })).json()).toMatchObject({ data: [] });
  });

  test('an address that a hidden website has is taken, without its id', async () => {
    const { url, existing_id, code } = (
      await api.send('PATCH', `${WEBSITES}/${own}`, { key, json: { url: 'https://other.example' } })
    ).json<Record<string, unknown>>();
    expect({ url, existing_id, code }).toEqual({ url: undefined, existing_id: undefined, code: 'url_taken' });
    const whole = await api.send('PATCH', `${WEBSITES}/${own}`, { json: { url: 'https://other.example' } });
    expect(whole.problem().existing_id).toBe(other);
  });
});

describe('What needs all websites of the account is 403 forbidden', () => {
  test.each([
    ['POST', WEBSITES, { url: 'https://third.example' }],
    ['GET', '/api/v1/webhooks', undefined],
    ['POST', '/api/v1/webhooks', { url: 'https://hooks.example', events: ['website.created'] }],
    ['DELETE', `/api/v1/webhooks/${randomUUID()}`, undefined],
  ])('%s %s', async (method, path, json) => {
    const { status, problem } = await api.send(method, path, { key, ...(json === undefined ? {} : { json }) });
    expect([status, problem().code]).toEqual([403, 'forbidden']);
  });

  test('deleting a website that the key reaches', async () => {
    for (const path of [`${WEBSITES}/${own}`, `/websites/${own}/destroy`]) {
      expect((await api.send('DELETE', path, { key })).problem().code).toBe('forbidden');
    }
    expect((await api.send('GET', `${WEBSITES}/${own}`, { key })).status).toBe(200);
  });
});

describe('A key of websites that are gone reaches none, not all', () => {
  test('after the last was deleted', async () => {
    const { id } = await api.createWebsite();
    const { text } = await api.issue(api.accountId, { websiteIds: [id] });
    expect((await api.send('GET', WEBSITES, { key: text })).list().meta.total).toBe(1);
    await api.send('DELETE', `${WEBSITES}/${id}`);
    expect((await api.send('GET', WEBSITES, { key: text })).list().meta.total).toBe(0);
  });
});

describe('A key is limited to 1 to 100 websites of its account', () => {
  test.each([
    ['none', () => []],
    ['too many', () => Array.from({ length: 101 }, () => randomUUID())],
    ['an unknown one', () => [own, randomUUID()]],
  ])('%s: invalid', async (_name, websiteIds) => {
    await expect(api.issue(api.accountId, { websiteIds: websiteIds() })).rejects.toMatchObject({
      faults: [{ field: 'website_ids' }],
    });
  });

  test("another account's website: invalid", async () => {
    const foreign = await api.createWebsite({}, { key: api.otherKey });
    await expect(api.issue(api.accountId, { websiteIds: [foreign.id] })).rejects.toMatchObject({
      faults: [{ field: 'website_ids', code: 'unknown_website' }],
    });
  });
});
