import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Fields", through HTTP; the grammar of each field is tested in the domain.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const WEBSITES = '/api/v1/websites';
const create = (fields: object) => api.send('POST', WEBSITES, { json: fields });
let count = 0;
const newUrl = () => {
  count += 1;
  return `https://field-${count}.example`;
};

describe('url', () => {
  test.each([
    ['HTTP://Example.COM', 'http://example.com'],
    ['https://example.com:443/', 'https://example.com'],
    ['http://example.com:80', 'http://example.com'],
    ['https://example.com:80', 'https://example.com:80'],
    ['https://example.com./a/', 'https://example.com/a'],
    ['https://example.com/a//', 'https://example.com/a'],
    ['https://example.com/a/../b/./c', 'https://example.com/b/c'],
    ['https://example.com/caf%c3%a9', 'https://example.com/caf%c3%a9'],
    ['https://example.com/café', 'https://example.com/caf%C3%A9'],
    ['https://BÜCHER.example', 'https://xn--bcher-kva.example'],
    ['https://xn--bcher-kva.example/x', 'https://xn--bcher-kva.example/x'],
    ['https://my_site.example', 'https://my_site.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://192.168.0.1', 'http://192.168.0.1'],
    ['http://[2001:DB8::0:1]:8080/', 'http://[2001:db8::1]:8080'],
    [`https://${'a'.repeat(63)}.example`, `https://${'a'.repeat(63)}.example`],
    ['https://example.com:65535', 'https://example.com:65535'],
  ])('%s is stored as %s, which is its own normal form', async (sent, normal) => {
    const first = await create({ url: sent });
    const again = await api.send('PUT', `${WEBSITES}/${first.website().id}`, { form: { url: normal } });
    await api.send('DELETE', `${WEBSITES}/${first.website().id}`);

    expect(first.website().url).toBe(normal);
    expect(again.website()).toEqual(first.website());
  });

  test.each([
    'example.com',
    '//example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'https:example.com',
    'https:/example.com',
    'https://',
    'https:///a',
    'https://user@example.com',
    'https://user:pass@example.com',
    'https://@example.com',
    'https://example.com?',
    'https://example.com/?a=b',
    'https://example.com#',
    'https://example.com/#a',
    'https:\\\\example.com',
    'https://example.com\\a',
    ' https://example.com',
    'https://example.com ',
    'https://exa mple.com',
    'https://example.com/a b',
    'https://example.com/\t',
    'https://example.com/\u{7f}',
    'https://ex%61mple.com',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.0.0.1',
    'https://0177.0.0.1',
    'https://1.2.3.4.',
    'https://１２７.0.0.1',
    'https://a..b',
    'https://.example.com',
    'https://-a.example',
    'https://a-.example',
    `https://${'a'.repeat(64)}.example`,
    `https://${'a.'.repeat(127)}example`,
    'https://example.com:0',
    'https://example.com:65536',
    'https://example.com:',
    'https://example.com:+80',
    'https://example.com:080',
    'https://[::1',
    'https://[fe80::1%25eth0]',
    'https://[1.2.3.4]',
    'https://exa*mple.com',
  ])('%j is rejected, never repaired', async (url) => {
    const created = await create({ url });
    const updated = await api.send('PATCH', `${WEBSITES}/x`, { form: { url } });

    expect(created.faults()).toEqual(['url invalid_url']);
    expect(updated.faults()).toEqual(['url invalid_url']);
  });

  test('a missing scheme is rejected with a hint', async () => {
    const response = await create({ url: 'example.com' });

    expect(response.problem().errors?.[0]?.detail).toContain('https://');
  });

  test('at most 2,048 bytes, both as sent and in normal form', async () => {
    const base = 'https://long.example/';
    const longest = base.padEnd(2048, 'a');

    const whole = await create({ url: longest });
    const over = await create({ url: `${longest}a` });
    const grown = await create({ url: base.padEnd(1000, 'é') });
    const shrunk = await create({ url: `${base}${'./'.repeat(1100)}` });

    expect(whole.website().url).toBe(longest);
    expect([over, grown, shrunk].map((response) => response.faults())).toEqual([
      ['url too_long'],
      ['url too_long'],
      ['url too_long'],
    ]);
  });

  test('its address is unique within the account: a second one is 409 url_taken with existing_id', async () => {
    const first = (await create({ url: 'https://taken.example/a' })).website();
    const second = await api.createWebsite();

    for (const url of ['http://TAKEN.example/a/', 'https://taken.example:443/./a']) {
      const created = await create({ url });
      const moved = await api.send('PATCH', `${WEBSITES}/${second.id}`, { json: { url } });

      expect([created.status, moved.status]).toEqual([409, 409]);
      expect(created.problem()).toMatchObject({ type: '/problems/url_taken', existing_id: first.id });
      expect(moved.problem()).toMatchObject({ code: 'url_taken', existing_id: first.id });
    }
    const itself = await api.send('PATCH', `${WEBSITES}/${first.id}`, { json: { url: 'http://taken.example/a' } });
    expect(itself.website().url).toBe('http://taken.example/a');
  });

  test('another account may track the same address', async () => {
    const url = newUrl();
    const mine = await create({ url });

    const theirs = await api.send('POST', WEBSITES, { json: { url }, key: api.otherKey });

    expect(theirs.status).toBe(201);
    expect(theirs.website().id).not.toBe(mine.website().id);
  });

  test('an address is free again once its website has moved or been deleted', async () => {
    const url = newUrl();
    const { id } = (await create({ url })).website();

    await api.send('PATCH', `${WEBSITES}/${id}`, { json: { url: newUrl() } });
    const second = await create({ url });
    await api.send('DELETE', `${WEBSITES}/${second.website().id}`);
    const third = await create({ url });

    expect([second.status, third.status]).toEqual([201, 201]);
  });
});
