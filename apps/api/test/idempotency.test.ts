import { DomainError } from '@hitherto/domain/base';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, type Sent, startApi, startApiForTest } from './support/api.ts';
import type { ApiResponse } from './support/response.ts';

// api.md, "Retries and concurrency": Idempotency-Key on create.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';
const HOUR = 60 * 60 * 1000;
const withKey = (key: string, sent: Sent, on = api) =>
  on.send('POST', WEBSITES, { ...sent, headers: { ...sent.headers, 'idempotency-key': key } });
const replayed = (response: ApiResponse) => response.header('idempotent-replayed');
const seen = ({ status, text, header }: ApiResponse) => [status, text, header('location'), header('etag')];

describe('A repeat with the same fields, compared in normal form whatever the media type, gets the first response with Idempotent-Replayed: true', () => {
  const fields = {
    url: 'https://replay.example/a',
    privacy: 2,
    password: 'é 🦊',
    exclude_params: 'a\nb',
    exclude_ips: '192.0.2.0/24',
  };

  test('in the same or another spelling and media type', async () => {
    const first = await withKey('spellings', { json: fields });
    const spelled = {
      ...fields,
      url: 'HTTPS://Replay.example:443/./a/',
      privacy: '2',
      exclude_params: ' a \r\n\r\nb\r\na',
      exclude_ips: '192.0.2.*',
      email: '0',
      exclude_bots: '1',
    };

    const same = await withKey('spellings', { json: fields });
    const form = await withKey('spellings', { form: spelled });
    const list = await api.send('GET', `${WEBSITES}?search=replay.example`);

    expect([first.status, replayed(first)]).toEqual([201, undefined]);
    for (const response of [same, form]) {
      expect(seen(response)).toEqual(seen(first));
      expect(replayed(response)).toBe('true');
    }
    expect(list.list().meta.total).toBe(1);
  });

  test('even if the website has changed or been deleted since', async () => {
    const json = { url: 'https://gone.example' };
    const first = await withKey('gone', { json });
    const at = first.header('location') ?? '';

    await api.send('PATCH', at, { json: { email: 1, url: 'https://moved-away.example' } });
    const afterChange = await withKey('gone', { json });
    await api.send('DELETE', at);
    const afterDelete = await withKey('gone', { json });
    const shown = await api.send('GET', at);

    expect([seen(afterChange), seen(afterDelete)]).toEqual([seen(first), seen(first)]);
    expect(shown.status).toBe(404);
  });

  test('a key is any 1 to 255 visible ASCII characters, quotes included', async () => {
    for (const key of ['a', '!', '~', '"quoted"', 'a,b;c', 'x'.repeat(255)]) {
      const json = { url: `https://key-${Buffer.from(key).toString('hex').slice(0, 40)}.example` };
      const first = await withKey(key, { json });
      const second = await withKey(key, { json });

      expect([first.status, replayed(second)]).toEqual([201, 'true']);
      expect(seen(second)).toEqual(seen(first));
    }
    const bare = await withKey('quoted', { json: { url: 'https://bare.example' } });
    expect(replayed(bare)).toBeUndefined();
  });

  test.each(['', ' ', 'a b', 'a\tb', 'x'.repeat(256), 'é', '\u{7f}'])('%j is 400', async (key) => {
    const response = await withKey(Buffer.from(key).toString('latin1'), { json: { url: 'https://bad-key.example' } });

    expect(response.problem().code).toBe('bad_request');
  });

  test('two Idempotency-Key headers are 400', async () => {
    const headers = { 'idempotency-key': ['a', 'b'] };

    const response = await api.send('POST', WEBSITES, { json: { url: 'https://two.example' }, headers });

    expect(response.status).toBe(400);
  });
});

describe('the same key with other fields is 422 idempotency_key_reused', () => {
  const fields = { url: 'https://fields.example', privacy: 0, password: 'p', exclude_ips: '::1', exclude_params: 'a' };

  test.each([
    { url: 'https://fields.example/b' },
    { url: 'http://fields.example' },
    { privacy: 1 },
    { privacy: 2 },
    { password: 'P' },
    { password: null },
    { email: 1 },
    { exclude_bots: 0 },
    { exclude_ips: '::2' },
    { exclude_ips: null },
    { exclude_params: 'A' },
    { exclude_params: 'a\nb' },
  ])('%o', async (other) => {
    await withKey('fields', { json: fields });

    const response = await withKey('fields', { json: { ...fields, ...other } });

    expect([response.status, response.problem().code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('a password where there was none makes the fields differ', async () => {
    await withKey('bare', { json: { url: 'https://bare-password.example' } });

    const response = await withKey('bare', { json: { url: 'https://bare-password.example', password: 'p' } });

    expect(response.problem().code).toBe('idempotency_key_reused');
  });

  test('a create under another key is not a repeat, and the address is taken', async () => {
    const first = await withKey('first', { json: { url: 'https://two-keys.example' } });

    const second = await withKey('second', { json: { url: 'https://two-keys.example' } });

    expect(second.problem()).toMatchObject({ code: 'url_taken', existing_id: first.website().id });
  });
});

describe('a concurrent repeat waits for the first', () => {
  test('ten concurrent requests create one website and all get the same response', async () => {
    const json = { url: 'https://at-once.example', password: 'slow', privacy: 2 };

    const responses = await Promise.all(Array.from({ length: 10 }, () => withKey('at-once', { json })));

    expect(new Set(responses.map((response) => JSON.stringify(seen(response)))).size).toBe(1);
    expect(responses.filter((response) => replayed(response) === undefined)).toHaveLength(1);
  });
});

describe('Only a 201 is recorded', () => {
  test('a refused create does not use the key up', async () => {
    const { url, id } = await api.createWebsite();
    const conflict = await withKey('only-201', { json: { url } });
    const invalid = await withKey('only-201', { json: { url, privacy: 9 } });
    await api.send('DELETE', `${WEBSITES}/${id}`);

    const created = await withKey('only-201', { json: { url, email: 1 } });

    expect([conflict.status, invalid.status, created.status, replayed(created)]).toEqual([409, 422, 201, undefined]);
  });

  test('a failed create is not recorded', async () => {
    let isDown = true;
    const own = await startApiForTest({
      websites: (real) => ({
        ...real,
        insert: (...given) =>
          isDown ? Promise.reject(new DomainError('unavailable', 'The database is away.')) : real.insert(...given),
      }),
    });
    const json = { url: 'https://retry.example' };

    const failed = await withKey('retry', { json }, own);
    isDown = false;
    const created = await withKey('retry', { json }, own);

    expect([failed.status, created.status, replayed(created)]).toEqual([503, 201, undefined]);
  });
});

describe('A record is kept for 24 hours per account', () => {
  test('a repeat is replayed until a millisecond before 24 hours, and is a new request afterwards', async () => {
    const own = await startApiForTest();
    const json = { url: 'https://day.example' };
    const first = await withKey('day', { json }, own);

    own.clock.advance(24 * HOUR - 1);
    const last = await withKey('day', { json }, own);
    own.clock.advance(1);
    const taken = await withKey('day', { json }, own);
    await own.send('DELETE', first.header('location') ?? '');
    const again = await withKey('day', { json }, own);

    expect([replayed(last), taken.status, again.status, replayed(again)]).toEqual(['true', 409, 201, undefined]);
    expect(again.website().id).not.toBe(first.website().id);
  });

  test('the same key sent by another account is a different key', async () => {
    const json = { url: 'https://accounts.example' };
    const mine = await withKey('shared', { json });

    const theirs = await withKey('shared', { json, key: api.otherKey });

    expect([theirs.status, replayed(theirs)]).toEqual([201, undefined]);
    expect(theirs.website().id).not.toBe(mine.website().id);
  });

  test('a repeat with another API key of the account gets the same response', async () => {
    const second = await api.issue('other');
    const json = { url: 'https://same-account.example' };
    const first = await withKey('rotated', { json, key: api.otherKey });

    const repeat = await withKey('rotated', { json, key: second.text });

    expect(seen(repeat)).toEqual(seen(first));
  });
});

describe('Neither the key nor the body is stored in plain text', () => {
  test('the record holds neither in any common encoding', async () => {
    const records: string[] = [];
    const own = await startApiForTest({
      passwords: { ...quickHasher, hash: async () => '$hash' },
      websites: (real) => ({
        ...real,
        insert: (account, website, change) => {
          records.push(JSON.stringify(change.record));
          return real.insert(account, website, change);
        },
      }),
    });

    await withKey('canary-key', { json: { url: 'https://canary-url.example', password: 'canary-password' } }, own);

    expect(records).toHaveLength(1);
    for (const secret of ['canary-key', 'canary-url', 'canary-password']) {
      for (const encoding of ['utf8', 'base64', 'base64url', 'hex'] as const) {
        const text = Buffer.from(secret).toString(encoding).replaceAll('=', '').slice(0, -2);
        expect(records[0]).not.toContain(text);
      }
    }
  });

  test('Idempotency-Key is ignored on other operations', async () => {
    const { id } = await api.createWebsite();
    const headers = { 'idempotency-key': 'not here' };

    const updated = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { email: 1 }, headers });
    const listed = await api.send('GET', WEBSITES, { headers });

    expect([updated.status, listed.status]).toEqual([200, 200]);
  });
});
