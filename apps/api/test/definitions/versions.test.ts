import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import type { ApiResponse } from '../support/response.ts';
import { aPath, BODIES, create, PATHS } from './definitions.ts';

// api.md, "Retries and concurrency", for segments, goals and funnels.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const tagOf = (response: ApiResponse) => response.header('etag') ?? '';

describe.each(PATHS)('%s', (path) => {
  const body = BODIES[path];

  test('the ETag is strong, changes with every change, and answers If-None-Match', async () => {
    const all = await aPath(api, path);
    const created = await api.send('POST', all, { json: body });
    const one = created.header('location') ?? '';
    const shown = await api.send('GET', one);

    const unchanged = await api.send('GET', one, { headers: { 'if-none-match': `"x", W/${tagOf(shown)}` } });
    const same = await api.send('PATCH', one, { json: body });
    const updated = await api.send('PATCH', one, { json: { name: 'b' } });

    expect(tagOf(created)).toMatch(/^"[\w-]+"$/);
    expect([tagOf(shown), tagOf(same)]).toEqual([tagOf(created), tagOf(created)]);
    expect([unchanged.status, unchanged.text, tagOf(unchanged)]).toEqual([304, '', tagOf(created)]);
    expect(tagOf(updated)).not.toBe(tagOf(created));
  });

  test('with a stale If-Match update and delete are 412, and change nothing', async () => {
    const { one } = await create(api, await aPath(api, path), body);
    const before = await api.send('GET', one);
    const headers = { 'if-match': '"stale"' };

    const refused = [
      await api.send('PATCH', one, { json: { name: 'b' }, headers }),
      await api.send('DELETE', one, { headers }),
    ];
    const after = await api.send('GET', one);

    expect(refused.map((response) => response.problem().code)).toEqual(['precondition_failed', 'precondition_failed']);
    expect(after.text).toBe(before.text);
    const current = { headers: { 'if-match': tagOf(after) } };
    expect((await api.send('DELETE', one, current)).status).toBe(204);
  });

  test('concurrent updates of different fields are all kept; with If-Match one of them is', async () => {
    const { one } = await create(api, await aPath(api, path), body);
    const step = { name: 'x', page: '/x' };
    const other = { segments: { match: 'all' }, goals: { sum: 'x' }, funnels: { steps: [step, step] } }[path];

    const both = await Promise.all([
      api.send('PATCH', one, { json: { name: 'b' } }),
      api.send('PATCH', one, { json: other }),
    ]);
    const shown = await api.send('GET', one);
    const headers = { 'if-match': tagOf(shown) };
    const races = await Promise.all([
      api.send('PATCH', one, { json: { name: 'c' }, headers }),
      api.send('PATCH', one, { json: { name: 'd' }, headers }),
    ]);

    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(shown.json()).toMatchObject({ data: { name: 'b', ...other } });
    expect(races.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  test('a create is repeated safely with an Idempotency-Key, in the same or another order of fields', async () => {
    const all = await aPath(api, path);
    const headers = { 'idempotency-key': `once-${path}` };
    const first = await api.send('POST', all, { json: body, headers });
    await api.send('PATCH', first.header('location') ?? '', { json: { name: 'changed' } });

    const again = await api.send('POST', all, { json: body, headers });
    const turned = await api.send('POST', all, {
      json: Object.fromEntries(
        Object.entries(body)
          .reverse()
          .map(([name, value]) => [name, reversed(value)]),
      ),
      headers,
    });
    const other = await api.send('POST', all, { json: { ...body, name: 'b' }, headers });
    const elsewhere = await api.send('POST', await aPath(api, path), { json: body, headers });

    for (const response of [again, turned]) {
      expect([response.status, response.text, response.header('idempotent-replayed')]).toEqual([
        201,
        first.text,
        'true',
      ]);
      expect([tagOf(response), response.header('location')]).toEqual([tagOf(first), first.header('location')]);
    }
    expect(other.problem().code).toBe('idempotency_key_reused');
    expect(elsewhere.problem().code).toBe('idempotency_key_reused');
    expect((await api.send('GET', all)).json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  test('a repeat is replayed even if its name is taken by now, and a refused create does not use the key up', async () => {
    const all = await aPath(api, path);
    const headers = { 'idempotency-key': `taken-${path}` };
    const { one } = await create(api, all, body);

    const taken = await api.send('POST', all, { json: body, headers });
    await api.send('DELETE', one);
    const created = await api.send('POST', all, { json: body, headers });

    expect([taken.status, created.status, created.header('idempotent-replayed')]).toEqual([409, 201, undefined]);
  });
});

/** The fields of an object in reverse order; the order of a list counts. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}
