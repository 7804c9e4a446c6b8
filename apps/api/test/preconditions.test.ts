import type { WebsiteJson } from '@hitherto/testing/website-json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi, startApiForTest } from './support/api.ts';
import type { ApiResponse } from './support/response.ts';

// api.md, "Retries and concurrency": ETag, If-None-Match and If-Match as RFC 9110, sections 8.8.3 and 13.1, says.

let api: Api;
let website: WebsiteJson;
let etag: string;
beforeAll(async () => {
  api = await startApi();
  website = await api.createWebsite();
  etag = (await api.send('GET', path())).header('etag') ?? '';
});
afterAll(() => api.app.close());

const path = () => `/api/v1/websites/${website.id}`;
const tagOf = (response: ApiResponse) => response.header('etag') ?? '';
/** `T` stands for the current tag. */
const filled = (text: string): string => text.replaceAll('T', etag);

describe('Show, create and update return a strong ETag that changes with every change of the website', () => {
  test('it is the same on create, show and HEAD, and changes with every field', async () => {
    const own = await startApiForTest();
    const created = await own.send('POST', '/api/v1/websites', { json: { url: 'https://etag.example' } });
    const at = created.header('location') ?? '';
    const shown = await own.send('GET', at);
    const head = await own.send('HEAD', at);
    const tags = [tagOf(created)];

    for (const json of [
      { url: 'https://etag2.example' },
      { privacy: 0 },
      { password: 'a' },
      { email: 1 },
      { exclude_bots: 0 },
      { exclude_params: 'a' },
      { exclude_ips: '::1' },
    ]) {
      const updated = await own.send('PATCH', at, { json });
      expect(tagOf(await own.send('GET', at))).toBe(tagOf(updated));
      tags.push(tagOf(updated));
    }

    expect([tagOf(shown), tagOf(head)]).toEqual([tagOf(created), tagOf(created)]);
    for (const tag of tags) expect(tag).toMatch(/^"[!-~]+"$/);
    expect(new Set(tags).size).toBe(8);
  });
});

describe('If-None-Match → 304 (*, lists and weak tags as in RFC 9110)', () => {
  test.each(['T', 'W/T', '*', ' * ', '"a", T', 'T,"b"', '"a","b",W/T', ',T,', '"a" ,\t T', '"a,b", T', '"", T'])(
    '%s is 304, empty, with the ETag',
    async (header) => {
      const shown = await api.send('GET', path(), { headers: { 'if-none-match': filled(header) } });
      const head = await api.send('HEAD', path(), { headers: { 'if-none-match': filled(header) } });

      expect([shown.status, shown.text, tagOf(shown)]).toEqual([304, '', etag]);
      expect(head.status).toBe(304);
    },
  );

  test.each(['"other"', 'W/"other"', '"a", "b"', '', 'T x', 'nonsense', '*, T', 'w/T', '"T"', "'T'", 'TT', 'x, T'])(
    '%s is 200',
    async (header) => {
      const shown = await api.send('GET', path(), { headers: { 'if-none-match': filled(header) } });

      expect(shown.website()).toEqual(website);
    },
  );

  test('a tag without its quotes does not match', async () => {
    const shown = await api.send('GET', path(), { headers: { 'if-none-match': etag.replaceAll('"', '') } });

    expect(shown.status).toBe(200);
  });

  test('repeated headers form one list', async () => {
    const shown = await api.send('GET', path(), { headers: { 'if-none-match': ['"a"', etag] } });

    expect(shown.status).toBe(304);
  });

  test('a stale tag is 200 with the new one', async () => {
    const own = await api.createWebsite();
    const before = await api.send('GET', `/api/v1/websites/${own.id}`);
    await api.send('PATCH', `/api/v1/websites/${own.id}`, { json: { email: 1 } });

    const after = await api.send('GET', `/api/v1/websites/${own.id}`, { headers: { 'if-none-match': tagOf(before) } });

    expect([after.status, tagOf(after) === tagOf(before)]).toEqual([200, false]);
  });

  test('401 and 404 come first', async () => {
    const keyless = await api.send('GET', path(), { key: null, headers: { 'if-none-match': '*' } });
    const unknown = await api.send('GET', '/api/v1/websites/x', { headers: { 'if-none-match': '*' } });

    expect([keyless.status, unknown.status]).toEqual([401, 404]);
  });

  test('on update and delete, a match is 412', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      for (const header of ['*', etag, `W/${etag}`]) {
        const response = await api.send(method, path(), { headers: { 'if-none-match': header } });
        expect(response.status).toBe(412);
      }
    }
  });
});

describe('If-Match on update and delete → 412 when stale, weak or malformed', () => {
  const refused = [
    '"other"',
    'W/T',
    '"a", W/T',
    '"a", "b"',
    '',
    'nonsense',
    'T x',
    '*, T',
    'T, *',
    '**',
    'w/T',
    '"T"',
    "'T'",
    'TT',
    'x, T',
    'T, x',
    'X, T',
    'T;',
    '"a" T',
    '"unclosed',
    ',',
    '"", W/"*"',
  ];

  test('on update', async () => {
    for (const header of [...refused.map(filled), 'T', `T, ${etag}`, `${etag}, T`]) {
      for (const method of ['PUT', 'PATCH']) {
        const response = await api.send(method, path(), { json: { email: 1 }, headers: { 'if-match': header } });
        expect(response.problem().code, header).toBe('precondition_failed');
      }
    }
    expect((await api.send('GET', path())).website()).toEqual(website);
  });

  test('on both delete paths', async () => {
    for (const header of refused.map(filled)) {
      for (const target of [path(), `/websites/${website.id}/destroy`]) {
        const response = await api.send('DELETE', target, { headers: { 'if-match': header } });
        expect(response.problem().code, header).toBe('precondition_failed');
      }
    }
    expect((await api.send('GET', path())).status).toBe(200);
  });

  test.each(['T', '*', ' T ', '"a", T', 'T,W/"b"', ',T', '"a",,\tT,'])(
    'update and delete succeed with %s',
    async (header) => {
      const own = await api.createWebsite();
      const at = `/api/v1/websites/${own.id}`;
      const withTag = async () => header.replaceAll('T', tagOf(await api.send('GET', at)));

      const updated = await api.send('PATCH', at, { json: { email: 1 }, headers: { 'if-match': await withTag() } });
      const deleted = await api.send('DELETE', at, { headers: { 'if-match': await withTag() } });

      expect([updated.status, deleted.status]).toEqual([200, 204]);
    },
  );

  test('a tag with a state is stale for a resource that shows none', async () => {
    const goal = await api.send('POST', `${path()}/goals`, { json: { name: 'Signup', event: 'Signup' } });
    const alert = await api.send('POST', `${path()}/alerts`, { json: { rule: 'drop' } });

    for (const { at, tag } of [
      { at: path(), tag: etag },
      { at: goal.header('location') ?? '', tag: tagOf(goal) },
      { at: alert.header('location') ?? '', tag: tagOf(alert) },
    ]) {
      const response = await api.send('PATCH', at, { json: {}, headers: { 'if-match': tag.replace(/"$/, '-zzz"') } });
      expect(response.status, at).toBe(412);
    }
  });

  test('an update that would change nothing is checked too', async () => {
    const response = await api.send('PATCH', path(), { json: {}, headers: { 'if-match': '"stale"' } });

    expect(response.status).toBe(412);
  });

  test('of two concurrent updates with the same tag, one is 200 and the other 412', async () => {
    const own = await api.createWebsite();
    const at = `/api/v1/websites/${own.id}`;
    const headers = { 'if-match': tagOf(await api.send('GET', at)) };

    const responses = await Promise.all([
      api.send('PATCH', at, { json: { email: 1 }, headers }),
      api.send('PATCH', at, { json: { exclude_bots: 0 }, headers }),
    ]);

    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test('a delete with a tag that an update has made stale is 412, and the website stays', async () => {
    const own = await api.createWebsite();
    const at = `/api/v1/websites/${own.id}`;
    const stale = tagOf(await api.send('GET', at));
    await api.send('PATCH', at, { json: { email: 1 } });

    const deleted = await api.send('DELETE', at, { headers: { 'if-match': stale } });

    expect([deleted.status, (await api.send('GET', at)).status]).toEqual([412, 200]);
  });
});
