import type { WebsiteJson } from '@hitherto/testing/website-json';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from './support/api.ts';

// api.md, "Bodies": what an update does to the fields it has and to those it leaves out.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const FULL = {
  privacy: 2,
  password: 'é 🦊',
  email: 1,
  exclude_bots: 0,
  exclude_params: 'utm_*\né 🦊',
  exclude_ips: '203.0.113.0/24\n2001:db8::1',
  time_zone: 'Pacific/Kiritimati',
} as const;
const path = ({ id }: WebsiteJson) => `/api/v1/websites/${id}`;
const settings = ({ updated_at: _, ...rest }: WebsiteJson) => rest;

describe('An absent field keeps its value. Updates apply no defaults. PUT and PATCH are the same partial update', () => {
  const changes = [
    { url: 'https://moved.example' },
    { privacy: 0 },
    { email: 0 },
    { exclude_bots: 1 },
    { exclude_params: 'ref' },
    { exclude_ips: '192.0.2.1' },
    { aliases: 'matomo:4' },
    { embed_origins: 'https://a.example' },
    { label: 'Clients' },
    { language: 'de' },
  ];
  test.each(changes)('%o changes only that', async (change) => {
    const texts = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, String(value)]));
    for (const [method, sent] of [
      ['PUT', { form: texts }],
      ['PATCH', { json: change }],
    ] as const) {
      const before = await api.createWebsite(FULL);

      const response = await api.send(method, path(before), sent);
      const shown = await api.send('GET', path(before));
      await api.send('DELETE', path(before));

      expect(settings(response.website())).toEqual({ ...settings(before), ...change });
      expect(shown.website()).toEqual(response.website());
    }
  });

  test('an update of the password alone keeps all other settings', async () => {
    const before = await api.createWebsite(FULL);

    const response = await api.send('PUT', path(before), { form: { password: 'another' } });

    expect(settings(response.website())).toEqual(settings(before));
  });
});

describe('An empty text field, or JSON null, clears it; url cannot be cleared (422)', () => {
  test.each([
    ['an empty form field', (name: string) => ({ form: { [name]: '' } })],
    ['a form field without =', (name: string) => ({ form: name })],
    ['JSON null', (name: string) => ({ json: { [name]: null } })],
    ['an empty JSON text', (name: string) => ({ json: { [name]: '' } })],
  ])('%s', async (_name, body) => {
    const before = await api.createWebsite({ ...FULL, privacy: 1 });

    const params = await api.send('PATCH', path(before), body('exclude_params'));
    const ips = await api.send('PATCH', path(before), body('exclude_ips'));
    const password = await api.send('PATCH', path(before), body('password'));
    const zone = await api.send('PATCH', path(before), body('time_zone'));
    const url = await api.send('PATCH', path(before), body('url'));

    expect(params.website()).toMatchObject({ exclude_params: null, exclude_ips: FULL.exclude_ips });
    expect(ips.website()).toMatchObject({ exclude_params: null, exclude_ips: null, has_password: true });
    expect(password.website()).toMatchObject({ has_password: false, time_zone: FULL.time_zone });
    expect(zone.website()).toMatchObject({ time_zone: null });
    expect([url.status, url.problem().errors?.map(({ field }) => field)]).toEqual([422, ['url']]);
  });

  test('a list of blank lines is cleared too', async () => {
    const before = await api.createWebsite(FULL);

    const response = await api.send('PATCH', path(before), {
      form: { exclude_params: ' \r\n\t\n ', exclude_ips: '\n' },
    });

    expect(response.website()).toMatchObject({ exclude_params: null, exclude_ips: null });
  });

  test('on create, empty values and null count as absent', async () => {
    const json = { url: 'https://nulls.example', password: null, exclude_params: null, exclude_ips: '' };

    const response = await api.send('POST', '/api/v1/websites', { json });

    expect(response.website()).toMatchObject({
      has_password: false,
      exclude_params: null,
      exclude_ips: null,
      privacy: 1,
    });
  });
});

describe('An update that changes nothing is 200, and updated_at and ETag stay. Sending a password always counts as a change', () => {
  test('the same settings in other spellings change nothing', async () => {
    const before = await api.createWebsite({ ...FULL, url: 'https://same.example' });
    const shown = await api.send('GET', path(before));
    api.clock.advance(1000);

    const response = await api.send('PUT', path(before), {
      json: {
        url: 'HTTPS://SAME.example:443/',
        privacy: 2,
        email: 1,
        exclude_params: ' utm_* \r\n\r\né 🦊\nutm_*',
        exclude_ips: '203.0.113.77/24\r2001:DB8:0::1\n203.0.113.*',
        time_zone: ' pacific/KIRITIMATI',
      },
    });

    expect(response.website()).toEqual(before);
    expect(response.header('etag')).toBe(shown.header('etag'));
  });

  test('updated_at and ETag change when a password is sent, even the same one', async () => {
    const before = await api.createWebsite(FULL);
    const shown = await api.send('GET', path(before));
    api.clock.advance(1000);

    const response = await api.send('PATCH', path(before), { json: { password: FULL.password } });

    expect(settings(response.website())).toEqual(settings(before));
    expect(Date.parse(response.website().updated_at)).toBe(Date.parse(before.updated_at) + 1000);
    expect(response.header('etag')).not.toBe(shown.header('etag'));
  });

  test('updated_at is strictly later with every change, even while the clock stands still or steps back', async () => {
    const website = await api.createWebsite();
    const times = [website.updated_at];
    const tags = new Set<string | undefined>();

    for (const email of [1, 0, 1, 0]) {
      const response = await api.send('PATCH', path(website), { json: { email } });
      times.push(response.website().updated_at);
      tags.add(response.header('etag'));
      expect(response.website().created_at).toBe(website.created_at);
      api.clock.advance(-5000);
    }
    api.clock.advance(60_000);

    expect([...new Set(times)].sort()).toEqual(times);
    expect(tags.size).toBe(4);
  });
});

describe('Updates are atomic: concurrent updates of different fields are all kept', () => {
  test('seven fields changed at once', async () => {
    const website = await api.createWebsite();
    const changes = [
      { url: 'https://concurrent.example' },
      { privacy: 0 },
      { email: 1 },
      { exclude_bots: 0 },
      { exclude_params: 'ref' },
      { exclude_ips: '192.0.2.1' },
      { time_zone: 'Asia/Kolkata' },
    ];

    const responses = await Promise.all(changes.map((json) => api.send('PATCH', path(website), { json })));
    const shown = await api.send('GET', path(website));

    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200));
    expect(shown.website()).toMatchObject(Object.assign({}, ...changes));
  });

  test('of concurrent creates of one address, exactly one is 201, and the others name its website', async () => {
    const json = { url: 'https://race.example' };

    const responses = await Promise.all(
      Array.from({ length: 10 }, () => api.send('POST', '/api/v1/websites', { json })),
    );
    const [won, ...more] = responses.filter(({ status }) => status === 201);

    expect(more).toEqual([]);
    for (const response of responses.filter((other) => other !== won)) {
      expect(response.problem()).toMatchObject({ code: 'url_taken', existing_id: won?.website().id });
    }
  });

  test('an update concurrent with a delete is 200 or 404, and the website stays deleted', async () => {
    for (let round = 0; round < 20; round += 1) {
      const website = await api.createWebsite();
      const [updated, deleted] = await Promise.all([
        api.send('PATCH', path(website), { json: { email: 1 } }),
        api.send('DELETE', path(website)),
      ]);
      const shown = await api.send('GET', path(website));

      expect([200, 404]).toContain(updated.status);
      expect([deleted.status, shown.status]).toEqual([204, 404]);
    }
  });
});
