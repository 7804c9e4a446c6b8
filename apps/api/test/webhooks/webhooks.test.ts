import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, type Overrides, startApi } from '../support/api.ts';

// webhooks.md: the routes. What is sent, and when, is tested in packages/contracts.

const PATH = '/api/v1/webhooks';
const URL = 'https://hooks.example/é';

interface Shown {
  readonly id: string;
  readonly secret?: string | null;
  readonly [field: string]: unknown;
}

let api: Api;
/** The statuses that the receiver responds with. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  const webhookClient: NonNullable<Overrides['webhookClient']> = { send: async () => statuses.shift() ?? 204 };
  api = await startApi({ webhookClient });
});

const create = async (fields = {}, sent = {}): Promise<Shown> => {
  const json = { url: URL, events: ['website.updated'], ...fields };
  const response = await api.send('POST', PATH, { json, ...sent });
  expect(response.status).toBe(201);
  return response.json<{ data: Shown }>().data;
};
const data = async (method: string, path: string, sent = {}) =>
  (await api.send(method, path, sent)).json<{ data: unknown }>().data;
const errorsOf = async (method: string, path: string, json: unknown) => {
  const { status, json: read } = await api.send(method, path, { json });
  const { errors } = read<{ errors: { field: string; code: string }[] }>();
  return [status, ...errors.map(({ field, code }) => `${field} ${code}`)];
};

describe('a webhook', () => {
  test('is created with its secret, which no other response has', async () => {
    const response = await api.send('POST', PATH, { json: { url: URL, events: ['alert.fired', 'website.created'] } });

    const { secret, ...shown } = response.json<{ data: Shown }>().data;
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.any(String),
      url: 'https://hooks.example/%C3%A9',
      format: 'json',
      events: ['website.created', 'alert.fired'],
      website_ids: null,
      is_active: true,
      failing_since: null,
      created_at: '2026-11-20T12:00:00.000Z',
      updated_at: '2026-11-20T12:00:00.000Z',
    });
    expect(response.headers.location).toBe(`${PATH}/${shown.id}`);
    expect(await data('GET', PATH)).toEqual([shown]);
    expect(await data('GET', `${PATH}/${shown.id.toUpperCase()}`)).toEqual(shown);
    expect(api.log()).not.toContain(secret);
  });

  test('of a chat service shows the host only, and has no secret', async () => {
    const url = 'https://hooks.slack.com/services/T0/B0/token';
    const { id, ...created } = await create({ url, format: 'slack' });

    expect(created).toMatchObject({ url: 'https://hooks.slack.com/…', secret: null });
    expect(JSON.stringify(await data('GET', PATH))).not.toContain('token');
    const changed = await data('PATCH', `${PATH}/${id}`, { json: { url: 'https://hooks.slack.com/…' } });
    expect(changed).toMatchObject({ updated_at: created.updated_at });
  });

  test('names websites of the account, or none', async () => {
    const website = await api.createWebsite();
    const foreign = await api.createWebsite({}, { key: api.otherKey });
    const body = { url: URL, events: ['website.updated'] };

    expect(await create({ website_ids: [website.id.toUpperCase()] })).toMatchObject({ website_ids: [website.id] });
    expect(await errorsOf('POST', PATH, { ...body, website_ids: [website.id, foreign.id, 'x'] })).toEqual([
      422,
      'website_ids unknown_website',
      'website_ids unknown_website',
    ]);
    expect(await errorsOf('POST', PATH, { ...body, website_ids: [] })).toEqual([422, 'website_ids required']);
  });

  test('is rejected with its faults', async () => {
    expect(await errorsOf('POST', PATH, { events: [] })).toEqual([422, 'url required', 'events required']);
    expect(await errorsOf('POST', PATH, { url: 'ftp://a.example', events: [] })).toEqual([
      422,
      'url invalid_url',
      'events required',
    ]);
    expect(await errorsOf('POST', PATH, { url: URL, events: ['x'], format: 'irc', secret: 'x' })).toEqual([
      422,
      'secret unknown',
      'format not_allowed',
      'events.0 not_allowed',
    ]);
    expect(await errorsOf('POST', PATH, { url: 'nonsense', events: [], is_active: 'yes' })).toEqual([
      422,
      'is_active invalid_type',
      'url invalid_url',
      'events required',
    ]);
  });

  test('is checked field by field before its existence and its version, and against its format after them', async () => {
    const path = `${PATH}/${(await create()).id}`;
    const stale = { 'if-match': '"stale"' };
    const patch = async (at: string, json: object, headers = {}) =>
      (await api.send('PATCH', at, { json, headers })).problem().code;

    expect(await patch(`${PATH}/x`, { events: [] })).toBe('validation');
    expect(await patch(`${PATH}/x`, { format: 'slack' }, stale)).toBe('not_found');
    expect(await patch(path, { url: 'nonsense' }, stale)).toBe('validation');
    expect(await patch(path, { format: 'slack' }, stale)).toBe('precondition_failed');
    expect(await errorsOf('PATCH', path, { url: 'nonsense', website_ids: [], is_active: 'yes' })).toEqual([
      422,
      'is_active invalid_type',
      'url invalid_url',
      'website_ids required',
    ]);
  });

  test('keeps its format', async () => {
    const { id } = await create();

    expect(await errorsOf('PATCH', `${PATH}/${id}`, { format: 'slack' })).toEqual([422, 'format not_allowed']);
  });

  test('has another ETag once it fails, and the one before is still a condition for a change', async () => {
    const path = `${PATH}/${(await create()).id}`;
    const etag = String((await api.send('GET', path)).headers.etag);
    statuses = [500];
    await api.send('POST', `${path}/test`);

    const shown = await api.send('GET', path, { headers: { 'if-none-match': etag } });
    const failing = String(shown.headers.etag);
    const statusWith = async (tag: string) =>
      (await api.send('PATCH', path, { json: {}, headers: { 'if-match': tag } })).status;

    expect(shown.status).toBe(200);
    expect(shown.json<{ data: Shown }>().data.failing_since).not.toBeNull();
    expect([await statusWith(etag), await statusWith(failing)]).toEqual([200, 200]);
    expect(await statusWith(failing.replace(/-.+/, '-X"'))).toBe(412);
  });

  test('shows a key of scope read only the origin of its URL', async () => {
    const url = 'https://hooks.example.com/catch/TOKEN/?part=TOKEN';
    const { id, url: created } = await create({ url });
    const read = async (path: string) => (await api.send('GET', path, { key: api.readKey })).json();

    expect(created).toBe(url);
    expect(await read(`${PATH}/${id}`)).toMatchObject({ data: { url: 'https://hooks.example.com/…' } });
    expect(await read(PATH)).toMatchObject({ data: [{ url: 'https://hooks.example.com/…' }] });
  });

  test('is tested with a key of scope write, and of another account is unknown', async () => {
    const path = `${PATH}/${(await create()).id}`;

    expect((await api.send('POST', `${path}/test`, { key: api.readKey })).status).toBe(403);
    expect((await api.send('POST', `${path}/test`, { key: api.otherKey })).status).toBe(404);
    expect((await api.send('GET', `${path}/deliveries`, { key: api.otherKey })).status).toBe(404);
  });

  test('has entries in the audit trail, whose URL and secret are secrets', async () => {
    const { id } = await create();
    await api.send('PATCH', `${PATH}/${id}`, { json: { url: 'https://other.example/token' } });
    await api.send('DELETE', `${PATH}/${id}`);

    const entries = (await data('GET', '/api/v1/audit')) as { action: string; changes: unknown }[];
    const ours = entries.filter(({ action }) => action.startsWith('webhook.'));
    expect(ours.map(({ action }) => action)).toEqual(['webhook.deleted', 'webhook.updated', 'webhook.created']);
    expect(ours[1]).toMatchObject({
      subject: { id, name: 'other.example' },
      changes: [{ field: 'url', change: 'changed' }],
    });
    expect(JSON.stringify(ours)).not.toMatch(/whsec_|token|%C3/);
  });

  test('has its websites in the audit trail, before and after, and null for all', async () => {
    const website = await api.createWebsite();
    const { id } = await create();
    for (const website_ids of [[website.id], null]) await api.send('PATCH', `${PATH}/${id}`, { json: { website_ids } });

    const entries = (await data('GET', '/api/v1/audit')) as { changes: unknown }[];
    expect(entries.slice(0, 2).map(({ changes }) => changes)).toEqual([
      [{ field: 'website_ids', before: [website.id], after: null }],
      [{ field: 'website_ids', before: null, after: [website.id] }],
    ]);
  });
});

describe('the deliveries of a webhook', () => {
  test('are events of websites, which the API records with the change', async () => {
    const { id } = await create({ events: ['website.created', 'website.updated', 'website.deleted'] });
    const website = await api.createWebsite({ password: 'secret 1' });
    await api.send('PATCH', `/api/v1/websites/${website.id}`, { json: { privacy: 0 } });
    await api.send('PATCH', `/api/v1/websites/${website.id}`, { json: { privacy: 0 } });
    await api.send('DELETE', `/api/v1/websites/${website.id}`);

    const shown = await api.send('GET', `${PATH}/${id}/deliveries`);
    const { data: found, links, meta } = shown.json<{ data: Shown[]; links: object; meta: object }>();
    expect(found.map(({ type }) => type)).toEqual(['website.deleted', 'website.updated', 'website.created']);
    expect(found[0]).toEqual({
      id: expect.any(String),
      type: 'website.deleted',
      status: 'pending',
      attempts: 0,
      response_code: null,
      error: null,
      created_at: '2026-11-20T12:00:00.000Z',
      attempted_at: null,
      next_attempt_at: '2026-11-20T12:00:00.000Z',
    });
    expect([links, meta]).toEqual([{ next: null, prev: null }, { per_page: 10 }]);
  });

  test('are listed page by page', async () => {
    const [{ id }, other] = [await create({ events: ['website.created'] }), await create()];
    for (let count = 0; count < 12; count += 1) await api.createWebsite();

    const first = (await api.send('GET', `${PATH}/${id}/deliveries?per_page=10`)).json<{
      data: Shown[];
      links: { next: string };
    }>();
    const second = (await api.send('GET', first.links.next)).json<{ data: Shown[]; links: { next: string | null } }>();

    expect([first.data.length, second.data.length, second.links.next]).toEqual([10, 2, null]);
    const [, query] = first.links.next.split('?');
    for (const path of [`${other.id}/deliveries?${query}`, `${id}/deliveries?cursor=x`]) {
      const { status, json } = await api.send('GET', `${PATH}/${path}`);
      expect([status, json<{ errors: { code: string }[] }>().errors[0]?.code]).toEqual([422, 'invalid_cursor']);
    }
  });

  test('begin with a test, whose outcome is the response', async () => {
    const { id } = await create();
    statuses = [500];

    expect(await data('POST', `${PATH}/${id}/test`)).toMatchObject({
      type: 'webhook.test',
      status: 'failed',
      response_code: 500,
      error: 'The response had status 500.',
      next_attempt_at: null,
    });
    expect(await data('POST', `${PATH}/${id}/test`)).toMatchObject({ status: 'delivered', response_code: 204 });
  });

  test('are sent again on request, unless the webhook is turned off', async () => {
    const { id } = await create();
    statuses = [500];
    const tested = (await data('POST', `${PATH}/${id}/test`)) as Shown;
    const retry = (deliveryId: string) => api.send('POST', `${PATH}/${id}/deliveries/${deliveryId}/retry`);

    const retried = await retry(tested.id);
    expect([retried.status, retried.json<{ data: Shown }>().data]).toMatchObject([
      202,
      { id: tested.id, status: 'pending', attempts: 1 },
    ]);
    expect((await retry('x')).status).toBe(404);
    await api.send('PATCH', `${PATH}/${id}`, { json: { is_active: false } });
    for (const response of [await retry(tested.id), await api.send('POST', `${PATH}/${id}/test`)]) {
      expect([response.status, response.json<{ code: string }>().code]).toEqual([409, 'webhook_inactive']);
    }
  });
});
