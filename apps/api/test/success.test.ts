import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Resource" and "Success".

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const MEMBERS = [
  'id',
  'url',
  'privacy',
  'has_password',
  'email',
  'report',
  'exclude_bots',
  'exclude_params',
  'page_rules',
  'exclude_ips',
  'time_zone',
  'aliases',
  'embed_origins',
  'label',
  'language',
  'engagement',
  'created_at',
  'updated_at',
];

describe('Resource', () => {
  test('has exactly these fields in every response', async () => {
    const created = await api.send('POST', '/api/v1/websites', { json: { url: 'https://members.example' } });
    const { id } = created.website();

    const shown = await api.send('GET', `/api/v1/websites/${id}`);
    const updated = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { email: 1 } });
    const listed = await api.send('GET', '/api/v1/websites?search=members.example');

    for (const response of [created, shown, updated]) {
      expect(Object.keys(response.json<object>())).toEqual(['data']);
      expect(new Set(Object.keys(response.website()))).toEqual(new Set(MEMBERS));
    }
    expect(listed.list().data.map((website) => new Set(Object.keys(website)))).toEqual([new Set(MEMBERS)]);
  });

  test('has the default of each field that a create leaves out', async () => {
    const website = await api.createWebsite({ url: 'https://defaults.example' });

    expect(website).toMatchObject({
      url: 'https://defaults.example',
      privacy: 1,
      has_password: false,
      email: 0,
      exclude_bots: 1,
      exclude_params: null,
      page_rules: null,
      exclude_ips: null,
      time_zone: null,
      aliases: null,
      embed_origins: null,
      label: null,
      language: null,
      engagement: 0,
    });
    expect(website.created_at).toBe(website.updated_at);
    expect(website.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test.each(['form', 'json'] as const)(
    'a response without id, has_password and the two times can be sent back as %s and changes nothing, not even updated_at',
    async (medium) => {
      const first = await api.createWebsite({
        privacy: 2,
        password: 'é 🦊',
        email: 1,
        exclude_bots: 0,
        exclude_params: 'utm_*\né 🦊',
        page_rules: '/a/* => /a/:id\n?é&f*',
        exclude_ips: '203.0.113.*\n2001:DB8::1',
        time_zone: 'america/st_johns',
        aliases: `${medium}:1\n${medium}:3`,
        embed_origins: 'https://a.example\nhttp://b.example:8080',
        label: 'é 🦊',
        language: 'de',
      });
      const bare = await api.createWebsite();
      api.clock.advance(1000);

      for (const before of [first, bare]) {
        const { id, has_password: _, created_at: _c, updated_at: _u, ...fields } = before;
        const texts = Object.entries(fields).map(([name, value]) => [name, value === null ? '' : String(value)]);
        const body = medium === 'json' ? { json: fields } : { form: Object.fromEntries(texts) };
        const shown = await api.send('GET', `/api/v1/websites/${id}`);
        const response = await api.send('PUT', `/api/v1/websites/${id}`, body);

        expect(response.status).toBe(200);
        expect(response.website()).toEqual(before);
        expect(response.header('etag')).toBe(shown.header('etag'));
      }
    },
  );

  test('never holds the password or its hash', async () => {
    const response = await api.send('POST', '/api/v1/websites', {
      json: { url: 'https://secret.example', password: 'canary-πassword' },
    });
    const { id } = response.website();

    const shown = await api.send('GET', `/api/v1/websites/${id}`);
    const listed = await api.send('GET', '/api/v1/websites?search=secret');

    expect(response.website().has_password).toBe(true);
    for (const { text } of [response, shown, listed]) {
      expect(text).not.toContain('canary');
      expect(text).not.toContain('$');
    }
  });

  test('has a UUIDv7 made by the service, each greater than the one before', async () => {
    const ids = [];
    for (let index = 0; index < 20; index += 1) ids.push((await api.createWebsite()).id);

    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is found by its id in any letter case', async () => {
    const { id } = await api.createWebsite();

    const shown = await api.send('GET', `/api/v1/websites/${id.toUpperCase()}`);
    const updated = await api.send('PATCH', `/api/v1/websites/${id.toUpperCase()}`, { form: { email: '1' } });
    const gone = await api.send('DELETE', `/websites/${id.toUpperCase()}/destroy`);

    expect(shown.website().id).toBe(id);
    expect(updated.website()).toMatchObject({ id, email: 1 });
    expect(gone.status).toBe(204);
  });
});

describe('Success', () => {
  test('list 200, show 200, create 201 with Location and the body, update 200 with the body, delete 204, empty', async () => {
    const created = await api.send('POST', '/api/v1/websites', { form: { url: 'https://statuses.example' } });
    const path = created.header('location') ?? '';
    const shown = await api.send('GET', path);
    const listed = await api.send('GET', '/api/v1/websites');
    const put = await api.send('PUT', path, { form: { privacy: '0' } });
    const patched = await api.send('PATCH', path, { form: { email: '1' } });
    const deleted = await api.send('DELETE', `/websites/${created.website().id}/destroy`);

    expect(created.status).toBe(201);
    expect(path).toBe(`/api/v1/websites/${created.website().id}`);
    expect(created.header('content-type')).toBe('application/json; charset=utf-8');
    expect([shown.status, listed.status, put.status, patched.status]).toEqual([200, 200, 200, 200]);
    expect(put.website().privacy).toBe(0);
    expect(patched.website()).toMatchObject({ privacy: 0, email: 1 });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
  });

  test.each([
    ['DELETE /websites/{id}/destroy', (id: string) => `/websites/${id}/destroy`],
    ['DELETE /api/v1/websites/{id}', (id: string) => `/api/v1/websites/${id}`],
  ])('%s deletes the website, and a second delete is 404', async (_name, pathOf) => {
    const { id } = await api.createWebsite();

    const first = await api.send('DELETE', pathOf(id));
    const second = await api.send('DELETE', pathOf(id));
    const shown = await api.send('GET', `/api/v1/websites/${id}`);

    expect([first.status, first.text]).toEqual([204, '']);
    expect([second.status, shown.status]).toEqual([404, 404]);
  });

  test('both delete paths are documented, and so are PUT and PATCH', () => {
    const { paths } = api.document;

    expect(Object.keys(paths['/websites/{id}/destroy'] ?? {})).toEqual(['delete']);
    expect(Object.keys(paths['/api/v1/websites/{id}'] ?? {}).sort()).toEqual(['delete', 'get', 'head', 'patch', 'put']);
    expect(Object.keys(paths['/api/v1/websites'] ?? {}).sort()).toEqual(['get', 'head', 'post']);
  });

  test('there is no DELETE /websites/{id} and no /destroy under /api/v1', async () => {
    const { id } = await api.createWebsite();

    const bare = await api.send('DELETE', `/websites/${id}`);
    const prefixed = await api.send('DELETE', `/api/v1/websites/${id}/destroy`);
    const shown = await api.send('GET', `/api/v1/websites/${id}`);

    expect([bare.status, prefixed.status, shown.status]).toEqual([404, 404, 200]);
  });
});

describe('HEAD works wherever GET does; OPTIONS needs no key and gets 204 with Allow', () => {
  test.each([
    '/api/v1/websites',
    '/api/v1/websites/:id',
    '/livez',
    '/readyz',
    '/openapi.json',
    '/docs',
    '/problems/internal',
  ])('HEAD %s has the status and the headers of GET and no content', async (pattern) => {
    const { id } = await api.createWebsite();
    const path = pattern.replace(':id', id);

    const got = await api.send('GET', path);
    const head = await api.send('HEAD', path);

    const comparable = ({ headers }: typeof got) => {
      const { 'x-request-id': _, date: _d, ...kept } = headers;
      return kept;
    };
    expect([head.status, head.text]).toEqual([got.status, '']);
    expect(comparable(head)).toEqual(comparable(got));
  });

  test('HEAD of an unknown website is 404 without content', async () => {
    const response = await api.send('HEAD', '/api/v1/websites/unknown');

    expect([response.status, response.text]).toEqual([404, '']);
  });

  test.each([
    ['/api/v1/websites', 'GET, HEAD, OPTIONS, POST'],
    ['/api/v1/websites/anything', 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
    ['/websites/anything/destroy', 'DELETE, OPTIONS'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
    ['/metrics', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
    ['/problems/internal', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s allows %s', async (path, allow) => {
    const response = await api.send('OPTIONS', path, { key: null });

    expect([response.status, response.text, response.header('allow')]).toEqual([204, '', allow]);
  });

  test('OPTIONS of an unknown path is 404', async () => {
    const response = await api.send('OPTIONS', '/api/v1/website', { key: null });

    expect(response.status).toBe(404);
  });
});
