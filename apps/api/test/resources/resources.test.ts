import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import type { ApiResponse } from '../support/response.ts';
import { KINDS } from './kinds.ts';

// What the API does with all resources alike: api.md, "Retries and concurrency" and the sections of the kinds. What is particular
// to a kind is tested next to this file.

interface Shown {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** A test of the kinds that it is about. */
const testIf = (isAbout: unknown) => (isAbout ? test : (_: string, __: () => Promise<void>) => {});

const GONE = '01997c3e-0000-7000-8000-00000000dead';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const tagOf = (response: ApiResponse) => response.header('etag') ?? '';
const codesOf = (responses: readonly ApiResponse[]) => responses.map((response) => response.problem().code);

describe.each(Object.entries(KINDS))('%s', (path, { ofAccount, body, limit, tooMany, changes, ...kind }) => {
  const { isShownAlone, isRepeatable, hasName } = kind;

  /** The path of the list of a new owner. */
  const aList = async () => {
    if (!ofAccount) return `/api/v1/websites/${(await api.createWebsite()).id}/${path}`;
    for (const { id } of await list('/api/v1/webhooks')) await api.send('DELETE', `/api/v1/webhooks/${id}`);
    return `/api/v1/${path}`;
  };
  const list = async (all: string) => (await api.send('GET', all)).json<{ data: readonly Shown[] }>().data;
  const create = async (all: string, number = 0) => {
    const response = await api.send('POST', all, { json: body(number) });
    expect(response.status, response.text).toBe(201);
    const { data } = response.json<{ data: Shown }>();
    return { data, one: `${all}/${data.id}`, etag: tagOf(response), response };
  };
  const show = async (all: string, { id }: Shown) => {
    if (isShownAlone) return (await api.send('GET', `${all}/${id}`)).json<{ data: Shown }>().data;
    return (await list(all)).find((one) => one.id === id);
  };

  test('are created, listed in order and deleted, each owner by itself', async () => {
    const all = await aList();
    const created = [await create(all, 2), await create(all, 1)];
    if (!ofAccount) await create(await aList());

    const listed = await list(all);

    expect(listed.map(({ id }) => id)).toEqual(created.map(({ data }) => data.id));
    for (const [place, { data, one, response }] of created.entries()) {
      expect(data).toMatchObject({ ...listed[place] });
      expect(data).toMatchObject(body(2 - place));
      if (isShownAlone) expect(response.header('location')).toBe(one);
      expect(await show(all, data)).toEqual(listed[place]);
      const deleted = await api.send('DELETE', one);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      expect((await api.send('DELETE', one)).status).toBe(404);
      if (isShownAlone) expect((await api.send('GET', one)).status).toBe(404);
    }
    expect(await list(all)).toEqual([]);
  });

  testIf(limit <= 100)('more than an owner may have are 422', async () => {
    const all = await aList();
    for (let number = 0; number < limit; number += 1) await create(all, number);

    const beyond = await api.send('POST', all, { json: body(0) });

    expect([beyond.status, beyond.problem().code]).toEqual([422, tooMany]);
    expect((await api.send('GET', `/problems/${tooMany}`)).status).toBe(200);
  });

  test('are taken in JSON only', async () => {
    const all = await aList();
    const { one } = await create(all);

    const form = await api.send('POST', all, { form: { name: 'a' } });
    const ofList = await api.send('POST', all, { json: [body(1)] });
    const change = await api.send('PATCH', one, { form: { name: 'a' } });

    expect([form.status, ofList.status, change.status]).toEqual([415, 400, changes ? 415 : 405]);
    expect(form.problem().detail).toContain('application/json');
    expect(await list(all)).toHaveLength(1);
  });

  test('are read with scope read, and written with scope write', async () => {
    const all = await aList();
    const { one } = await create(all);
    const key = api.readKey;

    const reads = [await api.send('GET', all, { key }), ...(isShownAlone ? [await api.send('GET', one, { key })] : [])];
    const writes = [
      await api.send('POST', all, { key, json: body(1) }),
      await api.send('DELETE', one, { key }),
      ...(changes ? [await api.send('PATCH', one, { key, json: {} })] : []),
    ];

    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(codesOf(writes))).toEqual(new Set(['insufficient_scope']));
    expect(await list(all)).toHaveLength(1);
  });

  test('of another account or website, unknown or malformed are the same 404', async () => {
    const all = await aList();
    const { one, data } = await create(all);
    const key = api.otherKey;
    const other = ofAccount ? `/api/v1/${path}` : await aList();
    const ofOther = ofAccount
      ? []
      : [
          await api.send('GET', all, { key }),
          await api.send('POST', all, { key, json: body(0) }),
          await api.send('GET', all.replace(/websites\/[^/]*/, 'websites/x')),
          await api.send('DELETE', `${other}/${data.id}`),
        ];

    const responses = [
      ...ofOther,
      await api.send('DELETE', one, { key }),
      await api.send('DELETE', `${all}/${GONE}`),
      await api.send('DELETE', `${all}/%20`),
      ...(changes ? [await api.send('PATCH', one, { key, json: {} })] : []),
      ...(isShownAlone ? [await api.send('GET', one, { key }), await api.send('GET', `${other}/${GONE}`)] : []),
    ];

    expect(new Set(codesOf(responses))).toEqual(new Set(['not_found']));
    expect(new Set(responses.map((response) => response.problem().detail)).size).toBe(1);
    expect(await list(all)).toHaveLength(1);
  });

  test('have ids of which the letter case does not matter, and paths for their methods only', async () => {
    const all = await aList();
    const { one } = await create(all);
    const upper = one.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => id.toUpperCase());

    const put = await api.send('PUT', one, { json: body(0) });
    const head = await api.send('HEAD', all);

    const methods = ['DELETE', ...(isShownAlone ? ['GET', 'HEAD'] : []), 'OPTIONS', ...(changes ? ['PATCH'] : [])];
    expect([put.status, put.header('allow')]).toEqual([405, methods.join(', ')]);
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await api.send('GET', `${all}?page=1`)).faults()).toEqual(['page unknown']);
    expect((await api.send('DELETE', upper)).status).toBe(204);
  });

  testIf(!ofAccount)('go with their website', async () => {
    const all = await aList();
    const { one } = await create(all);

    await api.send('DELETE', all.replace(`/${path}`, ''));

    expect([(await api.send('GET', all)).status, (await api.send('DELETE', one)).status]).toEqual([404, 404]);
  });

  testIf(changes)('are changed field by field; what is sent back, nothing and unknown fields change none', async () => {
    const [change = {}] = changes ?? [];
    const all = await aList();
    const { one, data, etag } = await create(all);

    const same = [
      await api.send('PATCH', one, { json: body(0) }),
      await api.send('PATCH', one),
      await api.send('PATCH', one, { json: {} }),
    ];
    const unknown = await api.send('PATCH', one, { json: { ...change, colour: 'red' } });
    const unchanged = await show(all, data);
    api.clock.advance(1);
    const changed = await api.send('PATCH', one, { json: change });

    for (const response of same) expect([response.json(), tagOf(response)]).toEqual([{ data: unchanged }, etag]);
    expect(unknown.faults()).toEqual(['colour unknown']);
    expect(changed.json<{ data: Shown }>().data).toEqual({
      ...unchanged,
      ...change,
      updated_at: expect.not.stringMatching(String(data.updated_at)),
    });
    expect(await show(all, data)).toEqual(changed.json<{ data: Shown }>().data);
    expect(tagOf(changed)).toMatch(/^"[\w-]+"$/);
    expect(tagOf(changed)).not.toBe(etag);
  });

  testIf(isShownAlone)('answer If-None-Match', async () => {
    const all = await aList();
    const { one, etag } = await create(all);

    const unchanged = await api.send('GET', one, { headers: { 'if-none-match': `"x", W/${etag}` } });

    expect([unchanged.status, unchanged.text, tagOf(unchanged)]).toEqual([304, '', etag]);
  });

  testIf(changes)('of another version than If-Match are not changed and not deleted: 412', async () => {
    const [change] = changes ?? [];
    const all = await aList();
    const { one, data, etag } = await create(all);
    const before = await show(all, data);
    const headers = { 'if-match': '"stale"' };

    const rejected = [
      await api.send('PATCH', one, { json: change, headers }),
      await api.send('DELETE', one, { headers }),
    ];

    expect(codesOf(rejected)).toEqual(['precondition_failed', 'precondition_failed']);
    expect(await show(all, data)).toEqual(before);
    expect((await api.send('DELETE', one, { headers: { 'if-match': etag } })).status).toBe(204);
  });

  testIf(changes)('keep concurrent changes of different fields; with If-Match one of them', async () => {
    const [change = {}, other = {}] = changes ?? [];
    const all = await aList();
    const { one, data } = await create(all);

    const both = await Promise.all([change, other].map((json) => api.send('PATCH', one, { json })));
    const kept = await show(all, data);
    const headers = { 'if-match': tagOf(await api.send('PATCH', one, { json: {} })) };
    const { [Object.keys(change)[0] ?? '']: field } = body(0);
    const races = await Promise.all([
      api.send('PATCH', one, { json: { [Object.keys(change)[0] ?? '']: field }, headers }),
      api.send('PATCH', one, {
        json: { [Object.keys(other)[0] ?? '']: body(0)[Object.keys(other)[0] ?? ''] },
        headers,
      }),
    ]);

    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(kept).toMatchObject({ ...change, ...other });
    expect(races.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  testIf(isRepeatable)('are created once with an Idempotency-Key, in any order of fields', async () => {
    const all = await aList();
    const headers = { 'idempotency-key': `once-${path}` };
    const first = await api.send('POST', all, { json: body(0), headers });
    const { id } = first.json<{ data: Shown }>().data;
    await api.send('PATCH', `${all}/${id}`, { json: changes?.[0] });

    const again = await api.send('POST', all, { json: body(0), headers });
    const turned = await api.send('POST', all, { json: reversed(body(0)), headers });
    const others = [await api.send('POST', all, { json: { ...body(0), ...changes?.[1] }, headers })];
    if (!ofAccount) others.push(await api.send('POST', await aList(), { json: body(0), headers }));

    for (const response of [again, turned]) {
      expect([response.status, response.text, response.header('idempotent-replayed')]).toEqual([
        201,
        first.text,
        'true',
      ]);
      expect([tagOf(response), response.header('location')]).toEqual([tagOf(first), first.header('location')]);
    }
    expect(new Set(codesOf(others))).toEqual(new Set(['idempotency_key_reused']));
    expect(await list(all)).toHaveLength(1);
  });

  testIf(hasName)('have names of their own: 409 name_taken tells the id of the other', async () => {
    const all = await aList();
    const [first, second] = [await create(all), await create(all, 1)];
    const { name } = first.data;
    const headers = { 'idempotency-key': `taken-${path}` };

    const taken = [
      await api.send('POST', all, { json: body(0), headers }),
      await api.send('PATCH', second.one, { json: { name } }),
    ];
    await api.send('POST', all, { json: { ...body(0), name: String(name).toLowerCase() } });
    await api.send('DELETE', first.one);
    const repeated = await api.send('POST', all, { json: body(0), headers });

    for (const response of taken) {
      expect([response.status, response.problem()]).toEqual([
        409,
        expect.objectContaining({ code: 'name_taken', existing_id: first.data.id }),
      ]);
    }
    expect(await list(all)).toHaveLength(3);
    // A rejected create does not use the key up.
    expect([repeated.status, repeated.header('idempotent-replayed')]).toEqual([201, undefined]);
  });
});

/** The fields of an object, and of objects in it, in reverse order; the order of a list counts. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
}
