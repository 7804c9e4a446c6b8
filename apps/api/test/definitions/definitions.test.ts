import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { aPath, BODIES, create, type DefinitionJson, LIMITS, PATHS } from './definitions.ts';

// api.md, "Segments, goals and funnels": the resources, with the rules of websites.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const GONE = '01997c3e-0000-7000-8000-00000000dead';
const TIMES = { created_at: '2026-11-20T12:00:00.000Z', updated_at: '2026-11-20T12:00:00.000Z' };

describe.each(PATHS)('%s', (path) => {
  const body = BODIES[path];

  test('one is created, shown, listed, updated and deleted', async () => {
    const all = await aPath(api, path);

    const { one, data } = await create(api, all, body);
    const shown = await api.send('GET', one);
    const updated = await api.send('PATCH', one, { json: { name: 'é' } });
    const listed = await api.send('GET', all);
    const deleted = await api.send('DELETE', one);

    expect(data).toEqual({ id: data.id, ...body, ...TIMES });
    expect(one).toBe(`${all}/${data.id}`);
    expect(shown.json()).toEqual({ data });
    expect(updated.json()).toEqual({ data: { ...data, name: 'é', updated_at: '2026-11-20T12:00:00.001Z' } });
    expect(listed.text).toBe(`{"data":[${updated.text.slice('{"data":'.length, -1)}]}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await api.send('GET', one)).status).toBe(404);
    expect((await api.send('DELETE', one)).status).toBe(404);
    expect((await api.send('GET', all)).json()).toEqual({ data: [] });
  });

  test('they are listed in the order of their creation, each website by itself', async () => {
    const all = await aPath(api, path);
    for (const name of ['b', 'a', 'c']) await create(api, all, { ...body, name });
    await create(api, await aPath(api, path), body);

    const { data } = (await api.send('GET', all)).json<{ data: readonly DefinitionJson[] }>();

    expect(data.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  test('a response that is sent back changes nothing', async () => {
    const { one, data } = await create(api, await aPath(api, path), body);
    const { id: _, created_at: __, updated_at: ___, ...sent } = data;

    const response = await api.send('PATCH', one, { json: sent });

    expect(response.json()).toEqual({ data });
  });

  test('an update without a body, or of unknown fields, changes nothing', async () => {
    const { one, data } = await create(api, await aPath(api, path), body);

    const empty = await api.send('PATCH', one);
    const unknown = await api.send('PATCH', one, { json: { privacy: 1, name: 'b' } });

    expect(empty.json()).toEqual({ data });
    expect(unknown.faults()).toEqual(['privacy unknown']);
    expect((await api.send('GET', one)).json()).toEqual({ data });
  });

  test('a name that is taken is 409 name_taken with the existing id', async () => {
    const all = await aPath(api, path);
    const first = await create(api, all, body);
    const second = await create(api, all, { ...body, name: 'b' });

    const created = await api.send('POST', all, { json: body });
    const renamed = await api.send('PATCH', second.one, { json: { name: body.name } });

    for (const response of [created, renamed]) {
      expect([response.status, response.problem()]).toEqual([
        409,
        expect.objectContaining({ code: 'name_taken', existing_id: first.data.id }),
      ]);
    }
    await create(api, all, { ...body, name: body.name.toLowerCase() });
  });

  test(`more than a website may have is 422 too_many_${path}`, async () => {
    const all = await aPath(api, path);
    for (let index = 0; index < LIMITS[path]; index += 1) await create(api, all, { ...body, name: `${index}` });

    const beyond = await api.send('POST', all, { json: { ...body, name: '0' } });

    expect([beyond.status, beyond.problem().code]).toEqual([422, `too_many_${path}`]);
    expect((await api.send('GET', `/problems/too_many_${path}`)).status).toBe(200);
  });

  test('only JSON is accepted', async () => {
    const all = await aPath(api, path);
    const { one } = await create(api, all, body);

    const form = await api.send('POST', all, { form: { name: 'a' } });
    const update = await api.send('PATCH', one, { form: { name: 'a' } });
    const list = await api.send('POST', all, { json: [body] });

    expect([form.status, update.status, list.status]).toEqual([415, 415, 400]);
    expect(form.problem().detail).toContain('application/json');
  });

  test('reading needs scope read, writing scope write', async () => {
    const all = await aPath(api, path);
    const { one } = await create(api, all, body);
    const key = api.readKey;

    const reads = [await api.send('GET', all, { key }), await api.send('GET', one, { key })];
    const writes = [
      await api.send('POST', all, { key, json: body }),
      await api.send('PATCH', one, { key, json: {} }),
      await api.send('DELETE', one, { key }),
    ];

    expect(reads.map(({ status }) => status)).toEqual([200, 200]);
    expect(writes.map((response) => response.problem().code)).toEqual(writes.map(() => 'insufficient_scope'));
  });

  test("another account's website, an unknown and a malformed id are the same 404", async () => {
    const all = await aPath(api, path);
    const { one } = await create(api, all, body);
    const otherWebsite = await aPath(api, path);
    const idOf = (text: string) => text.split('/').at(-1);
    const key = api.otherKey;
    const responses = [
      await api.send('GET', all, { key }),
      await api.send('POST', all, { key, json: body }),
      await api.send('GET', one, { key }),
      await api.send('PATCH', one, { key, json: {} }),
      await api.send('DELETE', one, { key }),
      await api.send('GET', `${otherWebsite}/${idOf(one)}`),
      await api.send('GET', `${all}/${GONE}`),
      await api.send('GET', `${all}/%20`),
      await api.send('GET', all.replace(/websites\/[^/]*/, 'websites/x')),
    ];

    expect(responses.map((response) => response.problem().code)).toEqual(responses.map(() => 'not_found'));
    expect(new Set(responses.map((response) => response.problem().detail)).size).toBe(1);
  });

  test('the letter case of ids in paths does not matter', async () => {
    const { one, data } = await create(api, await aPath(api, path), body);

    const upper = one.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => id.toUpperCase());

    expect((await api.send('GET', upper)).json()).toEqual({ data });
    expect((await api.send('DELETE', upper)).status).toBe(204);
  });

  test('PUT is 405, HEAD works, and a query is 422', async () => {
    const all = await aPath(api, path);
    const { one } = await create(api, all, body);

    const put = await api.send('PUT', one, { json: body });
    const heads = [await api.send('HEAD', all), await api.send('HEAD', one)];

    expect([put.status, put.header('allow')]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS, PATCH']);
    expect(heads.map(({ status, text }) => [status, text])).toEqual([
      [200, ''],
      [200, ''],
    ]);
    expect((await api.send('GET', `${all}?page=1`)).faults()).toEqual(['page unknown']);
  });

  test('they go with their website', async () => {
    const all = await aPath(api, path);
    const { one } = await create(api, all, body);

    await api.send('DELETE', all.replace(`/${path}`, ''));

    expect([(await api.send('GET', all)).status, (await api.send('GET', one)).status]).toEqual([404, 404]);
  });
});
