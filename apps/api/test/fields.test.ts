import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// decisions.md, "Fields", through HTTP; the grammar of each field is tested in the domain.

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
  ])('%s is stored as %s, and that as itself', async (sent, normal) => {
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
  ])('%j is refused, never repaired', async (url) => {
    const created = await create({ url });
    const updated = await api.send('PATCH', `${WEBSITES}/x`, { form: { url } });

    expect(created.faults()).toEqual(['url invalid_url']);
    expect(updated.faults()).toEqual(['url invalid_url']);
  });

  test('a missing scheme is refused with a hint', async () => {
    const response = await create({ url: 'example.com' });

    expect(response.problem().errors?.[0]?.detail).toContain('https://');
  });

  test('as sent and in normal form at most 2,048 bytes', async () => {
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

  test('an address is free again once its website moved or went', async () => {
    const url = newUrl();
    const { id } = (await create({ url })).website();

    await api.send('PATCH', `${WEBSITES}/${id}`, { json: { url: newUrl() } });
    const second = await create({ url });
    await api.send('DELETE', `${WEBSITES}/${second.website().id}`);
    const third = await create({ url });

    expect([second.status, third.status]).toEqual([201, 201]);
  });
});

describe('password', () => {
  test('1 to 256 code points as sent', async () => {
    const most = await create({ url: newUrl(), password: '🦊'.repeat(256) });
    const over = await create({ url: newUrl(), password: '🦊'.repeat(257) });
    const blank = await create({ url: newUrl(), password: ' ', privacy: 2 });
    const form = await api.send('POST', WEBSITES, { form: { url: newUrl(), password: 'x'.repeat(257) } });

    expect([most.website().has_password, blank.website().has_password]).toEqual([true, true]);
    expect([over.faults(), form.faults()]).toEqual([['password too_long'], ['password too_long']]);
  });

  test('accepted with any privacy and kept; privacy may otherwise follow any other', async () => {
    const { id } = (await create({ url: newUrl(), password: 'kept', privacy: 0 })).website();

    for (const privacy of [1, 2, 0, 2, 1, 0]) {
      const response = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { privacy } });
      expect(response.website()).toMatchObject({ privacy, has_password: true });
    }
  });

  test('privacy 2 without a password, stored or sent, is 422 password_required on password', async () => {
    const { id } = (await create({ url: newUrl() })).website();

    const none = await create({ url: newUrl(), privacy: 2 });
    const empty = await api.send('POST', WEBSITES, { form: { url: newUrl(), privacy: '2', password: '' } });
    const update = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { privacy: 2 } });
    const both = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { privacy: 2, password: 'now' } });

    for (const response of [none, empty, update]) expect(response.faults()).toEqual(['password password_required']);
    expect(both.website()).toMatchObject({ privacy: 2, has_password: true });
  });

  test('so is removing the password while privacy is 2', async () => {
    const { id } = (await create({ url: newUrl(), privacy: 2, password: 'p' })).website();

    const cleared = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { password: null } });
    const opened = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { password: null, privacy: 0 } });

    expect(cleared.faults()).toEqual(['password password_required']);
    expect(opened.website()).toMatchObject({ privacy: 0, has_password: false });
  });
});

describe('exclude_ips', () => {
  test('normal form: trimmed, blanks and repeats dropped, order kept', async () => {
    const sent =
      ' 203.0.113.77/24\r\n\r\n2001:DB8:0:0::1\r::ffff:192.0.2.1\n198.51.*.*\n203.0.113.*\n10.0.0.1/32\n::1/128\n::ffff:10.0.0.0/104\n';

    const response = await create({ url: newUrl(), exclude_ips: sent });

    expect(response.website().exclude_ips).toBe(
      '203.0.113.0/24\n2001:db8::1\n192.0.2.1\n198.51.0.0/16\n10.0.0.1\n::1\n10.0.0.0/8',
    );
  });

  test.each([
    '01.2.3.4',
    '1.2.3',
    '1.2.3.4:80',
    '[::1]',
    'fe80::1%eth0',
    '1.2.3.4-1.2.3.9',
    'example.com',
    '0.0.0.0/0',
    '::/0',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/',
    '1.2.3.4/024',
    '*.*.*.*',
    '1.*.3.*',
    '1.2.*',
    '1.2.3.4.*',
    '256.1.1.1',
    ':::',
    'é🦊',
  ])('%j is refused', async (line) => {
    const response = await api.send('POST', WEBSITES, { form: { url: newUrl(), exclude_ips: `::1\r\n\n${line}` } });

    expect(response.faults()).toEqual(['exclude_ips:3 invalid_ip']);
  });

  test('each bad line is its own error with its line number, counted in the text as sent from 1', async () => {
    const response = await create({ url: newUrl(), exclude_ips: 'a\n\n::1\r\nb\rc\n' });

    expect(response.faults()).toEqual([
      'exclude_ips:1 invalid_ip',
      'exclude_ips:4 invalid_ip',
      'exclude_ips:5 invalid_ip',
    ]);
  });

  test('at most 1,000, counted after blanks and repeats are dropped', async () => {
    const lines = Array.from({ length: 1001 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

    const most = await create({
      url: newUrl(),
      exclude_ips: [...lines.slice(1), ...lines.slice(1), '', ''].join('\n'),
    });
    const more = await create({ url: newUrl(), exclude_ips: lines.join('\n') });

    expect(most.website().exclude_ips?.split('\n')).toHaveLength(1000);
    expect(more.faults()).toEqual(['exclude_ips too_many']);
  });
});

describe('exclude_params', () => {
  test('trimmed, blanks and repeats dropped, order and case kept', async () => {
    const response = await create({ url: newUrl(), exclude_params: ' b \r\n\na\rB\nb\nutm_*\n*\n&\na*b\né 🦊' });

    expect(response.website().exclude_params).toBe('b\na\nB\nutm_*\n*\n&\na*b\né 🦊');
  });

  test('control characters, = and # are refused, each line with its number', async () => {
    const response = await create({ url: newUrl(), exclude_params: 'a=b\nok\n#c\nd\u{1}e\nf\u{85}g' });

    expect(response.faults()).toEqual([
      'exclude_params:1 invalid_name',
      'exclude_params:3 invalid_name',
      'exclude_params:4 invalid_name',
      'exclude_params:5 invalid_name',
    ]);
  });

  test('at most 1,000 of at most 255 code points', async () => {
    const names = Array.from({ length: 1001 }, (_, index) => `name-${index}`);

    const longest = await create({ url: newUrl(), exclude_params: `🦊`.repeat(255) });
    const over = await create({ url: newUrl(), exclude_params: `ok\n${'🦊'.repeat(256)}` });
    const most = await create({ url: newUrl(), exclude_params: names.slice(1).join('\r\n') });
    const more = await create({ url: newUrl(), exclude_params: names.join('\n') });

    expect([longest.status, most.status]).toEqual([201, 201]);
    expect(over.faults()).toEqual(['exclude_params:2 too_long']);
    expect(more.faults()).toEqual(['exclude_params too_many']);
  });
});
