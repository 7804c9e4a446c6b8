import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addHits } from './statistics/histories.ts';
import { type Api, startApi } from './support/api.ts';

// api.md, "Overview". The clock of the tests stands at 2026-11-20, noon.

let api: Api;
const ids: Record<string, string> = {};

interface Row {
  readonly url: string;
  readonly [field: string]: unknown;
}
interface Overview {
  readonly data: readonly Row[];
  readonly links: { readonly next: string | null; readonly prev: string | null };
  readonly meta: { readonly total: number; readonly totals: object | null };
}

const get = async (query = '', key?: string) =>
  (await api.send('GET', `/api/v1/overview${query}`, key === undefined ? {} : { key })).json<Overview>();
const hostsOf = ({ data }: Overview) => data.map(({ url }) => url.replace('https://', ''));
const visits = (count: number, time: string) =>
  Array.from({ length: count }, (_, index) => ({
    visitor: BigInt(index),
    time: new Date(time),
    day: time.slice(0, 10),
  }));

beforeAll(async () => {
  api = await startApi();
  for (const [host, label] of [
    ['busy.example', 'Clients'],
    ['small.example', 'Own'],
    ['quiet.example', 'Clients'],
    ['new.example', ''],
  ]) {
    ids[String(host)] = (await api.createWebsite({ url: `https://${host}`, label })).id;
  }
  const add = (host: string, hits: Parameters<typeof addHits>[2]) => addHits(api, String(ids[host]), hits);
  await add('busy.example', [
    ...visits(6, '2026-11-20T11:58:00.000Z'),
    // The 28 days before end at noon of 23 October.
    ...visits(3, '2026-10-23T11:59:00.000Z'),
    ...visits(9, '2026-10-23T12:00:00.000Z'),
    ...visits(1, '2026-09-25T12:00:00.000Z'),
  ]);
  await add('small.example', [
    { visitor: 1n, time: new Date('2026-11-20T08:00:00.000Z'), day: '2026-11-20' },
    { visitor: 1n, time: new Date('2026-11-20T08:01:00.000Z'), day: '2026-11-20', name: 'Signup' },
    ...visits(2, '2026-10-10T12:00:00.000Z'),
  ]);
  await add('quiet.example', visits(200, '2026-11-19T05:00:00.000Z'));
  const goals = `/api/v1/websites/${ids['small.example']}/goals`;
  await api.send('POST', goals, { json: { name: 'Signup', event: 'Signup' } });
});
afterAll(() => api.app.close());

describe('GET /api/v1/overview', () => {
  test('shows 28 days, compared with as much of the 28 days before, the visitors now, and whether visits stopped', async () => {
    const { data, meta } = await get();

    expect(data.map(({ days: _, id: _id, time_zone: _z, from: _f, to: _t, ...row }) => row)).toEqual([
      expect.objectContaining({
        url: 'https://quiet.example',
        label: 'Clients',
        visitors: 200,
        visitors_before: null,
        state: 'silent',
        last_hit_at: '2026-11-19T05:00:00.000Z',
      }),
      expect.objectContaining({ url: 'https://busy.example', visitors: 6, visitors_before: 3, current_visitors: 6 }),
      expect.objectContaining({
        url: 'https://small.example',
        visitors: 1,
        visitors_before: 2,
        current_visitors: 0,
        open_findings: 0,
        unknown_host: null,
        spike_at: null,
        state: 'counting',
        goals: [{ id: expect.any(String), name: 'Signup', conversions: 1, conversions_before: 0 }],
      }),
      expect.objectContaining({ url: 'https://new.example', label: null, state: 'waiting', last_hit_at: null }),
    ]);
    expect(data[1]).toMatchObject({ from: '2026-10-24', to: '2026-11-20', days: [...Array(27).fill(0), 6] });
    expect(meta).toMatchObject({
      total: 4,
      totals: { visitors: 207, visitors_before: 5, visitors_compared: 7, silent: 1 },
    });
  });

  test.each([
    ['?sort=address', ['busy.example', 'new.example', 'quiet.example', 'small.example']],
    ['?sort=address&order=desc', ['small.example', 'quiet.example', 'new.example', 'busy.example']],
    ['?sort=current', ['busy.example', 'new.example', 'quiet.example', 'small.example']],
    ['?sort=change', ['busy.example', 'small.example', 'new.example', 'quiet.example']],
    ['?sort=change&order=asc', ['small.example', 'busy.example', 'new.example', 'quiet.example']],
    ['?sort=label', ['busy.example', 'quiet.example', 'small.example', 'new.example']],
    ['?sort=visitors&order=asc', ['small.example', 'busy.example', 'quiet.example', 'new.example']],
    ['?label=Clients', ['quiet.example', 'busy.example']],
    ['?search=IET', ['quiet.example']],
  ])('%s', async (query, expected) => {
    expect(hostsOf(await get(query))).toEqual(expected);
  });

  test('is paged, and a cursor belongs to its query', async () => {
    for (let number = 0; number < 9; number += 1) await api.createWebsite({ url: `https://z${number}.example` });
    const first = await get('?sort=address&per_page=10');
    const second = await api.send('GET', String(first.links.next));
    const again = await api.send('GET', String(second.json<Overview>().links.prev));
    const other = await api.send('GET', String(first.links.next).replace('sort=address', 'sort=label'));

    expect(first.data).toHaveLength(10);
    expect(hostsOf(second.json<Overview>())).toEqual(['z6.example', 'z7.example', 'z8.example']);
    expect(hostsOf(again.json<Overview>())).toEqual(hostsOf(first));
    expect(other.faults()).toEqual(['cursor invalid_cursor']);
  });

  test('is CSV for those who accept it', async () => {
    const response = await api.send('GET', '/api/v1/overview?label=Own', { headers: { accept: 'text/csv' } });

    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.text).toBe(
      `id,url,label,current_visitors,visitors,visitors_before,state,last_hit_at\r\n${ids['small.example']},https://small.example,Own,0,1,2,counting,2026-11-20T08:01:00.000Z\r\n`,
    );
  });

  test('rejects unknown sorts', async () => {
    expect((await api.send('GET', '/api/v1/overview?sort=height')).faults()).toEqual(['sort not_allowed']);
  });
});

test('A key of some websites gets these alone, also in the sums', async () => {
  const key = await api.issue(api.accountId, { websiteIds: [String(ids['small.example'])] });
  const { data, meta } = await get('', key.text);

  expect(data.map(({ url }) => url)).toEqual(['https://small.example']);
  expect(meta).toMatchObject({ total: 1, totals: { visitors: 1, silent: 0 } });
});

test('More than 500 websites are by address, without sums', async () => {
  const own = await startApi();
  for (let number = 0; number <= 500; number += 1) await own.createWebsite({ url: `https://w${number}.example` });
  const response = await own.send('GET', '/api/v1/overview?per_page=10');
  const next = await own.send('GET', String(response.json<Overview>().links.next));

  expect(response.json<Overview>().meta).toMatchObject({ total: 501, totals: null });
  expect(hostsOf(next.json<Overview>())[0]).toBe('w107.example');
  await own.app.close();
});
