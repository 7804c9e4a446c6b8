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
  test('is stored in its normal form', async () => {
    const first = await create({ url: 'HTTPS://BÜCHER.example:443/a/../b//' });
    const normal = 'https://xn--bcher-kva.example/b';
    const again = await api.send('PUT', `${WEBSITES}/${first.website().id}`, { form: { url: normal } });

    expect(first.website().url).toBe(normal);
    expect(again.website()).toEqual(first.website());
  });

  test('without a scheme is rejected with a hint', async () => {
    const created = await create({ url: 'example.com' });
    const updated = await api.send('PATCH', `${WEBSITES}/x`, { form: { url: 'example.com' } });

    for (const response of [created, updated]) expect(response.faults()).toEqual(['url invalid_url']);
    expect(created.problem().errors?.[0]?.detail).toContain('https://');
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

describe('password', () => {
  test('has 1 to 256 code points', async () => {
    const blank = await create({ url: newUrl(), password: ' ', privacy: 2 });
    const form = await api.send('POST', WEBSITES, { form: { url: newUrl(), password: 'x'.repeat(257) } });

    expect(blank.website().has_password).toBe(true);
    expect(form.faults()).toEqual(['password too_long']);
  });

  test('is required for privacy 2, stored or sent: 422 password_required on password', async () => {
    const { id } = (await create({ url: newUrl() })).website();
    const path = `${WEBSITES}/${id}`;

    const none = await create({ url: newUrl(), privacy: 2 });
    const empty = await api.send('POST', WEBSITES, { form: { url: newUrl(), privacy: '2', password: '' } });
    const update = await api.send('PATCH', path, { json: { privacy: 2 } });
    const both = await api.send('PATCH', path, { json: { privacy: 2, password: 'now' } });
    const cleared = await api.send('PATCH', path, { json: { password: null } });
    const opened = await api.send('PATCH', path, { json: { password: null, privacy: 0 } });

    for (const response of [none, empty, update, cleared]) {
      expect(response.faults()).toEqual(['password password_required']);
    }
    expect(both.website()).toMatchObject({ privacy: 2, has_password: true });
    expect(opened.website()).toMatchObject({ privacy: 0, has_password: false });
  });
});

describe('a list has one entry a line', () => {
  test('in normal form, without blank lines and duplicates, in the order sent', async () => {
    const response = await create({
      url: newUrl(),
      exclude_ips: ' 203.0.113.77/24\r\n\r\n2001:DB8:0:0::1\r::ffff:192.0.2.1\n203.0.113.*\n',
      exclude_params: ' b \r\n\na\rB\nb\nutm_*\né 🦊',
      embed_origins: ' HTTPS://A.example:443/\r\n\nhttp://b.example:8080',
      aliases: ' Blog.example\r\n\npa-Xy\nBlog.example\r\nmatomo:3 ',
    });
    const kept = await api.send('PATCH', `${WEBSITES}/${response.website().id}`, { json: { exclude_bots: 0 } });

    for (const { website } of [response, kept]) {
      expect(website()).toMatchObject({
        exclude_ips: '203.0.113.0/24\n2001:db8::1\n192.0.2.1',
        exclude_params: 'b\na\nB\nutm_*\né 🦊',
        embed_origins: 'https://a.example\nhttp://b.example:8080',
        aliases: 'Blog.example\npa-Xy\nmatomo:3',
      });
    }
  });

  test.each([
    ['exclude_ips', 'a\n\n::1\r\nb\rc\n', ['1 invalid_ip', '4 invalid_ip', '5 invalid_ip']],
    ['exclude_params', `a=b\nok\n#c\n${'🦊'.repeat(256)}`, ['1 invalid_name', '3 invalid_name', '4 too_long']],
    ['embed_origins', 'https://a.example\nb.example\r\n*', ['2 invalid_url', '3 not_allowed']],
    ['aliases', `ok-1\na b\né\n${'x'.repeat(256)}`, ['2 invalid_name', '3 invalid_name', '4 too_long']],
  ])('each bad line of %s is an error of its own, by its number in the text as sent', async (name, text, faults) => {
    const response = await create({ url: newUrl(), [name]: text });

    expect(response.faults()).toEqual(faults.map((fault) => `${name}:${fault}`));
  });

  test.each([
    ['exclude_ips', Array.from({ length: 1_001 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)],
    ['exclude_params', Array.from({ length: 1_001 }, (_, index) => `name-${index}`)],
    ['aliases', Array.from({ length: 21 }, (_, index) => `more-${index}`)],
  ])('%s has a greatest number of entries', async (name, lines) => {
    const most = await create({ url: newUrl(), [name]: [...lines.slice(1), ...lines.slice(1), ''].join('\n') });
    const more = await create({ url: newUrl(), [name]: lines.join('\n') });

    expect(most.status).toBe(201);
    expect(more.faults()).toEqual([`${name} too_many`]);
  });

  test.each(['embed_origins', 'aliases'])('null clears %s', async (name) => {
    const { id } = (await create({ url: newUrl(), [name]: 'https://cleared.example' })).website();

    const cleared = await api.send('PATCH', `${WEBSITES}/${id}`, { json: { [name]: null } });

    expect(cleared.website()).toMatchObject({ [name]: null });
  });
});

describe('time_zone', () => {
  test('an IANA name, in its usual letter case; empty, null or blank for the time zone of the installation', async () => {
    const zones = ['europe/BERLIN', ' Asia/Kolkata ', 'Etc/GMT+12', '', '  ', null];

    const responses = await Promise.all(zones.map((time_zone) => create({ url: newUrl(), time_zone })));

    expect(responses.map((response) => response.website().time_zone)).toEqual([
      'Europe/Berlin',
      'Asia/Kolkata',
      'Etc/GMT+12',
      null,
      null,
      null,
    ]);
  });

  test.each([
    ['Berlin', 'Did you mean Europe/Berlin?'],
    ['Amerika/New York', 'Did you mean America/New_York?'],
    ['Europe/Kiew', 'Did you mean Europe/Kyiv?'],
    ['Asia/Calcuta', 'Did you mean Asia/Kolkata?'],
    ['+01:00', 'Use an IANA name, such as Europe/Berlin.'],
    ['x'.repeat(1_000_000), 'Use an IANA name, such as Europe/Berlin.'],
  ])('another name is 422 with a hint: %s', async (time_zone, hint) => {
    const response = await create({ url: newUrl(), time_zone });

    expect([response.status, response.problem().errors]).toEqual([
      422,
      [{ field: 'time_zone', code: 'not_allowed', detail: `There is no time zone with this name. ${hint}` }],
    ]);
  });
});

describe('label', () => {
  test('is trimmed; empty or null for none', async () => {
    const response = await create({ url: newUrl(), label: ' é 🦊 ' });
    const cleared = await api.send('PATCH', `/api/v1/websites/${response.website().id}`, { json: { label: '' } });

    expect(response.website().label).toBe('é 🦊');
    expect(cleared.website().label).toBeNull();
  });

  test('has at most 64 characters, and no control characters', async () => {
    const longest = await create({ url: newUrl(), label: '🦊'.repeat(64) });
    const longer = await create({ url: newUrl(), label: '🦊'.repeat(65) });
    const control = await create({ url: newUrl(), label: 'a\nb' });

    expect(longest.status).toBe(201);
    expect(longer.faults()).toEqual(['label too_long']);
    expect(control.faults()).toEqual(['label not_allowed']);
  });
});

describe('language', () => {
  test('is one of the languages of mails, in any letter case; empty or null for none', async () => {
    const response = await create({ url: newUrl(), language: ' DE ' });
    const cleared = await api.send('PATCH', `/api/v1/websites/${response.website().id}`, { json: { language: '' } });
    const unknown = await create({ url: newUrl(), language: 'de-AT' });

    expect(response.website().language).toBe('de');
    expect(cleared.website().language).toBeNull();
    expect(unknown.faults()).toEqual(['language not_allowed']);
  });
});

describe('aliases', () => {
  test('of another website, whoever owns it, are 409 alias_taken, which does not tell of that website', async () => {
    const url = newUrl();
    const json = { url, aliases: 'mine-1\nmine-2' };
    await create(json);

    const theirs = await api.send('POST', '/api/v1/websites', {
      json: { url: newUrl(), aliases: 'free\nmine-2' },
      key: api.otherKey,
    });
    const other = await api.createWebsite({ url: newUrl() });
    const moved = await api.send('PATCH', `/api/v1/websites/${other.id}`, { json: { aliases: 'mine-1' } });

    expect([theirs.status, moved.status]).toEqual([409, 409]);
    expect(theirs.problem()).toMatchObject({ code: 'alias_taken', type: '/problems/alias_taken' });
    expect(theirs.problem().detail).toContain('alias 2 of the list');
    expect(moved.problem().existing_id).toBeUndefined();
    expect(JSON.stringify([theirs.problem(), moved.problem()])).not.toContain(url);
  });

  test('that are the address or host of another account’s website are 409 alias_taken, however they are spelled', async () => {
    const name = new URL(newUrl()).host;
    await create({ url: `https://${name}/shop` });
    const { id } = (await create({ url: newUrl() })).website();
    const other = await api.send('POST', '/api/v1/websites', { json: { url: newUrl() }, key: api.otherKey });
    const path = `/api/v1/websites/${other.website().id}`;

    for (const alias of [name, name.toUpperCase(), `www.${name}`, `https://${name}/`, `${name}/shop`]) {
      const taken = await api.send('PATCH', path, { json: { aliases: `free\n${alias}` }, key: api.otherKey });
      const added = await api.send('POST', '/api/v1/websites', {
        json: { url: newUrl(), aliases: alias },
        key: api.otherKey,
      });

      expect([taken.status, added.status], alias).toEqual([409, 409]);
      expect(taken.problem().detail).toContain('alias 2 of the list');
    }
    const own = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { aliases: name } });
    const beside = await api.send('PATCH', path, { json: { aliases: `blog.${name}` }, key: api.otherKey });
    expect([own.status, beside.status]).toEqual([200, 200]);
  });

  test('stay with a website whose alias is later the url of another account’s, which may have that url', async () => {
    const name = new URL(newUrl()).host;
    const { id } = (await create({ url: newUrl(), aliases: name })).website();
    const other = await api.send('POST', '/api/v1/websites', { json: { url: `https://${name}` }, key: api.otherKey });
    const changed = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { aliases: `${name}\n${name}/x` } });

    expect([other.status, changed.status]).toEqual([201, 200]);
  });
});
