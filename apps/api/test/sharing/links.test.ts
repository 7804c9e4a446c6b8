import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { BODIES, type DefinitionJson } from '../definitions/definitions.ts';
import { type Api, startApi } from '../support/api.ts';

// sharing.md, "Shared links": how the API creates, lists and revokes them.

interface LinkJson {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly [member: string]: unknown;
}

let api: Api;
let website: string;
let all: string;
beforeEach(async () => {
  api = await startApi();
  website = (await api.createWebsite()).id;
  all = `/api/v1/websites/${website}/links`;
});

async function create(json: object): Promise<LinkJson> {
  const response = await api.send('POST', all, { json });
  expect(response.status, response.text).toBe(201);
  return response.json<{ data: LinkJson }>().data;
}

async function createSegment(of = website): Promise<string> {
  const response = await api.send('POST', `/api/v1/websites/${of}/segments`, { json: BODIES.segments });
  return response.json<{ data: DefinitionJson }>().data.id;
}

const list = async () => (await api.send('GET', all)).json<{ data: LinkJson[] }>().data;

describe('a created link', () => {
  test('has its address in the response to its creation, and nowhere else', async () => {
    const created = await create({ name: 'For the “board” 🦊' });

    expect(created).toEqual({
      id: expect.any(String),
      name: 'For the “board” 🦊',
      segment: null,
      expires_at: null,
      has_password: false,
      created_at: '2026-11-20T12:00:00.000Z',
      address: expect.stringMatching(/^\/share\/[\w-]{43}$/),
    });
    const { address, ...shown } = created;
    expect(await list()).toEqual([shown]);
    const token = address.slice('/share/'.length);
    const hash = createHash('sha256').update(token).digest('hex');
    const changes = await api.send('GET', `/api/v1/audit?website=${website}`);
    for (const secret of [token, hash]) {
      expect(changes.text).not.toContain(secret);
      expect(api.log()).not.toContain(secret);
      expect((await api.send('GET', '/metrics', { key: null })).text).not.toContain(secret);
    }
  });

  test('has the segment, the expiry and the password that were sent, the password never shown', async () => {
    const segment = await createSegment();

    const { address: _, ...created } = await create({
      name: 'é',
      segment: segment.toUpperCase(),
      expires_at: '2026-11-20T14:00:00.001+01:30',
      password: 'sesame 🦊',
    });

    expect(created).toMatchObject({ segment, expires_at: '2026-11-20T12:30:00.001Z', has_password: true });
    expect(await list()).toEqual([created]);
    expect(`${JSON.stringify(await list())} ${api.log()}`).not.toMatch(/sesame|argon/);
  });

  test('is in the audit trail, with its password as set, and so is its end', async () => {
    const segment = await createSegment();
    const { id } = await create({ name: 'é', segment, expires_at: '2026-12-01T00:00:00Z', password: 'x' });
    await api.send('DELETE', `${all}/${id}`);

    const response = await api.send('GET', `/api/v1/audit?website=${website}`);

    const [revoked, created] = response.json<{ data: { action: string; subject: object; changes: object[] }[] }>().data;
    expect(created).toMatchObject({ action: 'link.created', website_id: website, subject: { id, name: 'é' } });
    expect(created?.changes).toEqual([
      { field: 'name', before: null, after: 'é' },
      { field: 'segment', before: null, after: segment },
      { field: 'expires_at', before: null, after: '2026-12-01T00:00:00.000Z' },
      { field: 'password', change: 'set' },
    ]);
    expect(revoked).toMatchObject({ action: 'link.revoked', subject: { id, name: 'é' } });
  });
});

describe('a link is rejected', () => {
  const faultsOf = async (json: unknown) => {
    const response = await api.send('POST', all, { json });
    expect(response.status, response.text).toBe(422);
    return response
      .json<{ errors: { field: string; code: string }[] }>()
      .errors.map(({ field, code }) => [field, code]);
  };

  test('with every fault of every field', async () => {
    expect(await faultsOf({})).toEqual([['name', 'required']]);
    expect(await faultsOf({ name: ' a', expires_at: 'tomorrow', password: 'x'.repeat(257), token: 'mine' })).toEqual([
      ['token', 'unknown'],
      ['password', 'too_long'],
      ['name', 'invalid_name'],
      ['expires_at', 'not_allowed'],
    ]);
    expect(await faultsOf({ name: 7, segment: 7, expires_at: 7, password: 7 })).toHaveLength(4);
    expect(await list()).toEqual([]);
  });

  test('if it expires in the past, or now', async () => {
    for (const expires_at of ['2026-11-20T12:00:00Z', '2026-11-20T12:59:59+01:00', '1970-01-01T00:00:00Z']) {
      expect(await faultsOf({ name: 'a', expires_at })).toEqual([['expires_at', 'not_allowed']]);
    }
    await create({ name: 'a', expires_at: '2026-11-20T12:00:00.001Z' });
  });

  test('if a field is blank, so that a lost value never makes a link show or last more', async () => {
    expect(await faultsOf({ name: 'a', password: '' })).toEqual([['password', 'not_allowed']]);
    expect(await faultsOf({ name: 'a', segment: '' })).toEqual([['segment', 'unknown_segment']]);
    expect(await faultsOf({ name: 'a', expires_at: '' })).toEqual([['expires_at', 'not_allowed']]);
    expect(await list()).toEqual([]);
  });

  test('with a segment that the website does not have', async () => {
    const other = await createSegment((await api.createWebsite()).id);

    for (const segment of [other, 'x', 'a\0b', '01997c3e-0000-7000-8000-000000000001']) {
      expect(await faultsOf({ name: 'a', segment })).toEqual([['segment', 'unknown_segment']]);
    }
  });
});

test('a segment that a link shows cannot be deleted: 409 names the link', async () => {
  const segment = await createSegment();
  const { id } = await create({ name: 'For the “board” 🦊', segment });
  const path = `/api/v1/websites/${website}/segments/${segment}`;

  const rejected = await api.send('DELETE', path);

  expect([rejected.status, rejected.json<{ code: string }>().code]).toEqual([409, 'segment_in_use']);
  expect(rejected.json<{ detail: string }>().detail).toContain('For the “board” 🦊');
  await api.send('DELETE', `${all}/${id}`);
  expect((await api.send('DELETE', path)).status).toBe(204);
});
