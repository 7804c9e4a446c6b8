import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// api.md, "Changes": what the API records, and how it is read.

interface Change {
  readonly id: string;
  readonly action: string;
  readonly website_id: string | null;
  readonly changes: readonly object[];
  readonly [field: string]: unknown;
}

let api: Api;
beforeEach(async () => {
  api = await startApi();
});

async function changes(query = '', sent = {}): Promise<readonly Change[]> {
  return (await api.send('GET', `/api/v1/audit${query}`, sent)).json<{ data: readonly Change[] }>().data;
}

async function ofWebsite(id: string): Promise<readonly Change[]> {
  return changes(`?website=${id}`);
}

describe('the audit trail', () => {
  test('is read until the last day that can be written', async () => {
    const { id } = await api.createWebsite();

    expect(await changes(`?website=${id}&to=9999-12-31`)).toHaveLength(1);
  });

  test('has who updated a website, when, by which request, and each field before and after', async () => {
    const website = await api.createWebsite({ url: 'https://a.example', exclude_ips: '192.0.2.1\n192.0.2.2' });
    const key = await api.issue(api.accountId, { label: 'deploy é' });
    api.clock.advance(1_000);

    const response = await api.send('PATCH', `/api/v1/websites/${website.id}`, {
      key: key.text,
      json: { privacy: 0, exclude_ips: '192.0.2.2\n192.0.2.3', time_zone: 'Europe/Berlin', email: 1 },
      remoteAddress: '203.0.113.77',
    });

    const [change] = await ofWebsite(website.id);
    expect(change).toEqual({
      id: expect.any(String),
      at: '2026-11-20T12:00:01.000Z',
      action: 'website.updated',
      website_id: website.id,
      subject: { id: website.id, name: 'https://a.example' },
      actor: { type: 'key', id: key.id, label: 'deploy é' },
      request_id: response.headers['x-request-id'],
      network: '203.0.113.0/24',
      changes: [
        { field: 'privacy', before: 1, after: 0 },
        { field: 'email', before: 0, after: 1 },
        { field: 'exclude_ips', added: ['192.0.2.3'], removed: ['192.0.2.1'] },
        { field: 'time_zone', before: null, after: 'Europe/Berlin' },
      ],
    });
  });

  test('has of passwords only that they were set, changed and removed', async () => {
    const website = await api.createWebsite({ password: 'secret 1' });
    for (const password of ['secret 2', '']) {
      await api.send('PATCH', `/api/v1/websites/${website.id}`, { json: { password } });
    }

    const found = await ofWebsite(website.id);

    expect(found.flatMap((change) => change.changes.slice(-1))).toEqual(
      ['removed', 'changed', 'set'].map((change) => ({ field: 'password', change })),
    );
    expect(JSON.stringify(found)).not.toMatch(/secret|argon/);
  });

  test('has the network of a client by IPv6', async () => {
    const { id } = await api.createWebsite({}, { remoteAddress: '2001:db8:1:2:3::4' });

    expect(await ofWebsite(id)).toMatchObject([{ action: 'website.created', network: '2001:db8:1::/48' }]);
  });

  test('has what was created and deleted, and outlives the website', async () => {
    const { id } = await api.createWebsite({ url: 'https://b.example', email: 1 });
    await api.send('DELETE', `/api/v1/websites/${id}`);

    expect(await ofWebsite(id)).toMatchObject([
      { action: 'website.deleted', subject: { name: 'https://b.example' } },
      {
        action: 'website.created',
        changes: [
          { field: 'url', before: null, after: 'https://b.example' },
          { field: 'email', before: 0, after: 1 },
        ],
      },
    ]);
  });

  test('has segments, goals and funnels', async () => {
    const { id } = await api.createWebsite();
    const all = `/api/v1/websites/${id}/goals`;
    const { data } = (await api.send('POST', all, { json: { name: 'Sign-up', event: 'Sign-up' } })).json<{
      data: { id: string };
    }>();
    await api.send('PATCH', `${all}/${data.id}`, { json: { name: 'é' } });
    await api.send('DELETE', `${all}/${data.id}`);

    const [deleted, updated, created] = await ofWebsite(id);
    expect(deleted).toMatchObject({ action: 'goal.deleted', subject: { id: data.id, name: 'é' } });
    expect(updated).toMatchObject({
      action: 'goal.updated',
      changes: [{ field: 'name', before: 'Sign-up', after: 'é' }],
    });
    expect(created).toMatchObject({ action: 'goal.created', website_id: id });
    expect(created?.changes).toContainEqual({ field: 'event', before: null, after: 'Sign-up' });
  });

  test('has the keys of the account, without their hashes', async () => {
    const { id, text } = await api.issue(api.accountId, { scope: 'read', label: 'reader', expiresInDays: 1 });

    const found = await changes();

    expect(found[0]).toMatchObject({
      action: 'key.created',
      website_id: null,
      subject: { id, name: 'reader' },
      actor: { type: 'command_line', id: null, label: null },
      network: null,
      changes: [
        { field: 'scope', before: null, after: 'read' },
        { field: 'label', before: null, after: 'reader' },
        { field: 'expires_at', before: null, after: '2026-11-21T12:00:00.000Z' },
      ],
    });
    expect(JSON.stringify(found)).not.toContain(text);
  });

  test('has nothing of reads, refused changes, changes to the same value and replays', async () => {
    const website = await api.createWebsite({ url: 'https://c.example' });
    const path = `/api/v1/websites/${website.id}`;
    const before = await changes();
    const repeat = { headers: { 'idempotency-key': 'once' }, json: { url: 'https://once.example' } };

    await api.send('GET', path);
    await api.send('PATCH', path, { json: { url: website.url } });
    await api.send('PATCH', path, { json: { privacy: 9 } });
    await api.send('PATCH', path, { json: { privacy: 0 }, key: api.readKey });
    await api.send('PATCH', path, { json: { privacy: 0 }, headers: { 'if-match': '"x"' } });
    await api.send('DELETE', path, { key: api.otherKey });
    expect(await changes()).toEqual(before);
    await api.send('POST', '/api/v1/websites', repeat);
    await api.send('POST', '/api/v1/websites', repeat);

    expect(await changes()).toHaveLength(before.length + 1);
  });

  test('is paged by cursors that belong to their query', async () => {
    const { id } = await api.createWebsite();
    for (let index = 0; index < 12; index += 1) {
      api.clock.advance(1);
      await api.send('PATCH', `/api/v1/websites/${id}`, { json: { privacy: index % 2 } });
    }
    const first = await api.send('GET', `/api/v1/audit?website=${id}`);
    const { data, links } = first.json<{ data: Change[]; links: { next: string; prev: null } }>();
    const second = (await api.send('GET', links.next)).json<{ data: Change[]; links: object }>();
    const cursor = new URL(links.next, 'http://x').searchParams.get('cursor') ?? '';

    expect(first.headers.link).toBe(`<${links.next}>; rel="next"`);
    expect(data).toHaveLength(10);
    expect(second).toMatchObject({ links: { next: null, prev: null } });
    expect(new Set([...data, ...second.data].map((change) => change.id)).size).toBe(13);
    for (const query of [`cursor=${cursor}`, `website=${id}&from=2026-11-20&cursor=${cursor}`, `cursor=x`]) {
      const response = await api.send('GET', `/api/v1/audit?${query}`);
      expect(response.faults()).toEqual(['cursor invalid_cursor']);
    }
  });

  test('has short pages where changes are long', async () => {
    const { id } = await api.createWebsite();
    const values = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(2_000, 'é'));
    const filters = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`props[${index}]`, values]));
    for (let index = 0; index < 6; index += 1) {
      await api.send('POST', `/api/v1/websites/${id}/segments`, { json: { name: `${index}`, filters } });
    }

    const first = await api.send('GET', `/api/v1/audit?website=${id}`);
    const { data, links } = first.json<{ data: Change[]; links: { next: string } }>();
    const second = (await api.send('GET', links.next)).json<{ data: Change[]; links: object }>();

    expect(data).toHaveLength(5);
    expect(second).toMatchObject({ data: [{}, { action: 'website.created' }], links: { next: null } });
  });

  test('is read by days in the time zone of the website', async () => {
    const { id } = await api.createWebsite({ time_zone: 'Pacific/Kiritimati' });
    const idsOf = async (days: string) => (await changes(`?website=${id}&${days}`)).length;

    expect(await idsOf('from=2026-11-21&to=2026-11-21')).toBe(1);
    expect(await idsOf('to=2026-11-20')).toBe(0);
    expect((await api.send('GET', '/api/v1/audit?from=2026-02-30')).faults()).toEqual(['from not_allowed']);
    expect((await api.send('GET', '/api/v1/audit?from=2026-11-21&to=2026-11-20')).faults()).toEqual(['to not_allowed']);
  });

  test('is of the account only, and takes a key of scope read', async () => {
    const { id } = await api.createWebsite();

    expect(await changes(`?website=${id}`, { key: api.otherKey })).toEqual([]);
    expect(await changes(`?website=${id.toUpperCase()}`, { key: api.readKey })).toHaveLength(1);
    expect(await changes('?website=x')).toEqual([]);
  });
});
