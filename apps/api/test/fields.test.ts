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

describe('password', () => {
  test('1 to 256 code points as sent', async () => {
    const most = await create({ url: newUrl(), password: '🦊'.repeat(256) });
    const over = await create({ url: newUrl(), password: '🦊'.repeat(257) });
    const blank = await create({ url: newUrl(), password: ' ', privacy: 2 });
    const form = await api.send('POST', WEBSITES, { form: { url: newUrl(), password: 'x'.repeat(257) } });

    expect([most.website().has_password, blank.website().has_password]).toEqual([true, true]);
    expect([over.faults(), form.faults()]).toEqual([['password too_long'], ['password too_long']]);
  });

  test('is kept with any privacy, and any value of privacy may follow any other', async () => {
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
  test('normal form: trimmed, blank lines and duplicates dropped, order kept', async () => {
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
  ])('%j is rejected', async (line) => {
    const response = await api.send('POST', WEBSITES, { form: { url: newUrl(), exclude_ips: `::1\r\n\n${line}` } });

    expect(response.faults()).toEqual(['exclude_ips:3 invalid_ip']);
  });

  test('each bad line is an error of its own; its line counts from 1 in the text as sent', async () => {
    const response = await create({ url: newUrl(), exclude_ips: 'a\n\n::1\r\nb\rc\n' });

    expect(response.faults()).toEqual([
      'exclude_ips:1 invalid_ip',
      'exclude_ips:4 invalid_ip',
      'exclude_ips:5 invalid_ip',
    ]);
  });

  test('at most 1,000, counted after blank lines and duplicates are dropped', async () => {
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
  test('trimmed, blank lines and duplicates dropped, order and letter case kept', async () => {
    const response = await create({ url: newUrl(), exclude_params: ' b \r\n\na\rB\nb\nutm_*\n*\n&\na*b\né 🦊' });

    expect(response.website().exclude_params).toBe('b\na\nB\nutm_*\n*\n&\na*b\né 🦊');
  });

  test('control characters, = and # are rejected, each line with its number', async () => {
    const response = await create({ url: newUrl(), exclude_params: 'a=b\nok\n#c\nd\u{1}e\nf\u{85}g' });

    expect(response.faults()).toEqual([
      'exclude_params:1 invalid_name',
      'exclude_params:3 invalid_name',
      'exclude_params:4 invalid_name',
      'exclude_params:5 invalid_name',
    ]);
  });

  test('at most 1,000 names of at most 255 code points', async () => {
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

describe('embed_origins', () => {
  test('in normal form, one a line; empty or null for none', async () => {
    const response = await create({
      url: newUrl(),
      embed_origins: ' HTTPS://A.example:443/\r\n\nhttp://b.example:8080',
    });
    const { id } = response.website();
    const cleared = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { embed_origins: null } });
    const every = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { embed_origins: '*' } });

    expect(response.website().embed_origins).toBe('https://a.example\nhttp://b.example:8080');
    expect(cleared.website().embed_origins).toBeNull();
    expect(every.website().embed_origins).toBe('*');
  });

  test('a fault names its line', async () => {
    const paths = await create({ url: newUrl(), embed_origins: 'https://a.example\nb.example\nhttps://c.example/d' });
    const star = await create({ url: newUrl(), embed_origins: 'https://a.example\n*' });

    expect(paths.faults()).toEqual(['embed_origins:2 invalid_url', 'embed_origins:3 invalid_url']);
    expect(star.faults()).toEqual(['embed_origins:2 not_allowed']);
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

describe('aliases', () => {
  test('trimmed, one a line, in their order and letter case; empty or null for none', async () => {
    const response = await create({ url: newUrl(), aliases: ' Blog.example\r\n\npa-Xy\nBlog.example\r\nmatomo:3 ' });
    const { id } = response.website();
    const kept = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { exclude_bots: 0 } });
    const cleared = await api.send('PATCH', `/api/v1/websites/${id}`, { json: { aliases: null } });

    expect(response.website().aliases).toBe('Blog.example\npa-Xy\nmatomo:3');
    expect(kept.website().aliases).toBe('Blog.example\npa-Xy\nmatomo:3');
    expect(cleared.website().aliases).toBeNull();
  });

  test('at most 20, of 1 to 255 printable ASCII characters', async () => {
    const lines = Array.from({ length: 21 }, (_, index) => `more-${index}`);
    const refused = await create({ url: newUrl(), aliases: `ok-1\na b\né\n${'x'.repeat(256)}` });
    const tooMany = await create({ url: newUrl(), aliases: lines.join('\n') });

    expect(refused.faults()).toEqual(['aliases:2 invalid_name', 'aliases:3 invalid_name', 'aliases:4 too_long']);
    expect(tooMany.faults()).toEqual(['aliases too_many']);
  });

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
