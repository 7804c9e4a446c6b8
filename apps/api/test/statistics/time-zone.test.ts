import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { addHits } from './histories.ts';

// The zone of a website decides about its days, periods and hours; the installation's is UTC.

interface SeriesJson {
  readonly data: readonly { readonly start: string; readonly visits: number }[];
  readonly meta: { readonly from: string; readonly to: string; readonly time_zone: string };
}

const HOUR_MS = 60 * 60 * 1000;

let api: Api;
beforeAll(async () => {
  api = await startApi();
  // 23:00 on the 19th at -11, 10:00 on the 20th in UTC, and midnight before the 21st at +14.
  api.clock.advance(-2 * HOUR_MS);
});
afterAll(() => api.app.close());

const at = (time: string, day: string) => ({ time: new Date(time), day });
const statisticsOf = ({ id }: { readonly id: string }, rest = '') => `/api/v1/websites/${id}/statistics${rest}`;

describe('The default period', () => {
  test.each([
    ['Pacific/Pago_Pago', '2026-10-23', '2026-11-19'],
    [null, '2026-10-24', '2026-11-20'],
    ['Pacific/Kiritimati', '2026-10-25', '2026-11-21'],
  ])('of a website in %s ends today there', async (time_zone, from, to) => {
    const website = await api.createWebsite({ time_zone });

    const responses = await Promise.all(
      ['', '/series', '/by/page', '/dropped'].map((path) => api.send('GET', statisticsOf(website, path))),
    );

    const meta = { from, to, time_zone: time_zone ?? 'UTC' };
    for (const response of responses) expect(response.json()).toMatchObject({ meta });
  });

  test('follows a change of the zone at once, back and forth', async () => {
    const website = await api.createWebsite({ time_zone: 'Pacific/Kiritimati' });

    await api.send('PATCH', `/api/v1/websites/${website.id}`, { json: { time_zone: 'pacific/pago_pago' } });
    const there = await api.send('GET', statisticsOf(website));
    await api.send('PATCH', `/api/v1/websites/${website.id}`, { form: { time_zone: '' } });
    const back = await api.send('GET', statisticsOf(website));

    expect(there.json()).toMatchObject({ meta: { to: '2026-11-19', time_zone: 'Pacific/Pago_Pago' } });
    expect(back.json()).toMatchObject({ meta: { to: '2026-11-20', time_zone: 'UTC' } });
  });

  test('of a list and its cursors is the same', async () => {
    const website = await api.createWebsite({ time_zone: 'Pacific/Kiritimati' });
    const hits = Array.from({ length: 11 }, (_, page) => ({
      ...at('2026-11-20T10:00:00Z', '2026-11-21'),
      page: `/${page}`,
    }));
    await addHits(api, website.id, hits);

    const first = await api.send('GET', statisticsOf(website, '/by/page?per_page=10'));
    const { links } = first.json<{ links: { next: string } }>();
    const cursor = new URLSearchParams(links.next).get('cursor');
    const next = await api.send('GET', statisticsOf(website, `/by/page?per_page=10&cursor=${cursor}`));

    expect([first.status, next.status]).toEqual([200, 200]);
    expect(next.json<{ data: unknown[] }>().data).toHaveLength(1);
  });
});

describe('An invalid query', () => {
  test('is 422 before an unknown website is 404', async () => {
    const unknown = { id: '01997c3e-0000-7000-8000-00000000ffff' };

    const invalid = await api.send('GET', statisticsOf(unknown, '?from=2026-11-20'));
    const valid = await api.send('GET', statisticsOf(unknown));

    expect([invalid.status, valid.status]).toEqual([422, 404]);
  });
});

describe('Hours', () => {
  const series = async (time_zone: string, day: string, hits: readonly string[], accept = 'application/json') => {
    const website = await api.createWebsite({ time_zone });
    await addHits(
      api,
      website.id,
      hits.map((time, visitor) => ({ ...at(time, day), visitor: BigInt(visitor) })),
    );
    return api.send('GET', statisticsOf(website, `/series?from=${day}&to=${day}&interval=hour`), {
      headers: { accept },
    });
  };

  test.each([
    ['Pacific/Kiritimati', '2026-11-21', '2026-11-20T10:05:00Z', 24, '2026-11-21T00:00:00+14:00'],
    ['Pacific/Pago_Pago', '2026-11-20', '2026-11-21T10:59:59Z', 24, '2026-11-20T23:00:00-11:00'],
    ['Asia/Kolkata', '2026-11-20', '2026-11-19T18:45:00Z', 24, '2026-11-20T00:00:00+05:30'],
    ['Asia/Kathmandu', '2026-11-20', '2026-11-19T19:10:00Z', 24, '2026-11-20T00:00:00+05:45'],
    ['America/New_York', '2026-03-08', '2026-03-08T07:10:00Z', 23, '2026-03-08T03:00:00-04:00'],
    ['America/New_York', '2026-11-01', '2026-11-01T06:10:00Z', 25, '2026-11-01T01:00:00-05:00'],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T16:05:00Z', 24, '2026-10-04T03:00:00+11:00'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T16:05:00Z', 25, '2026-04-05T02:00:00+10:30'],
  ])('in %s on %s', async (zone, day, hit, count, start) => {
    const response = await series(zone, day, [hit]);

    const { data } = response.json<SeriesJson>();
    expect(data).toHaveLength(count);
    expect(data.find(({ visits }) => visits === 1)?.start).toBe(start);
    expect(response.json()).toMatchObject({ meta: { time_zone: zone } });
  });

  test('are the same in CSV', async () => {
    const response = await series('Asia/Kolkata', '2026-11-20', ['2026-11-19T18:45:00Z'], 'text/csv');

    expect(response.text.split('\r\n').slice(0, 3)).toEqual([
      'start,visitors,visits,pageviews,events',
      '2026-11-20T00:00:00+05:30,1,1,1,0',
      '2026-11-20T01:00:00+05:30,0,0,0,0',
    ]);
  });
});
