import { timeZone } from '@hitherto/domain/calendar';
import { settleCleanup } from '@hitherto/domain/cleanups';
import { createInMemoryRepositories } from '@hitherto/memory';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';
import { addHits } from './histories.ts';

// api.md, "Statistics": GET …/statistics/change. The clock of the tests stands at 2026-11-20, noon.

interface Difference {
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

interface ChangeJson {
  readonly data: Difference & {
    readonly parts: readonly {
      readonly dimension: string;
      readonly additive: boolean;
      readonly values: readonly (Difference & {
        readonly value: string | null;
        readonly share_of_change: number | null;
      })[];
      readonly rest: Difference | null;
    }[];
    readonly along: readonly (Difference & {
      readonly path: readonly { readonly dimension: string; readonly value: string | null }[];
      readonly share_of_change: number | null;
    })[];
    readonly ours: readonly { readonly at: string | null; readonly kind: string; readonly text: string }[];
  };
  readonly meta: Readonly<Record<string, unknown>>;
}

const PERIOD = 'from=2026-11-11&to=2026-11-15&compare_from=2026-11-04&compare_to=2026-11-08&compare=custom';

const repositories = createInMemoryRepositories(timeZone('UTC'));
let api: Api;
let id: string;
beforeAll(async () => {
  api = await startApi({ repositories });
  ({ id } = await api.createWebsite({ url: 'https://change.example' }));
  const visits = (count: number, day: string, source: string | null, page: string, first: number) =>
    Array.from({ length: count }, (_, index) => ({
      visitor: BigInt(first + index),
      source,
      page,
      country: index % 2 === 0 ? 'DE' : 'FR',
      time: new Date(`2026-11-${day}T10:00:00Z`),
    }));
  await addHits(api, id, [
    ...visits(8, '04', 'Google', '/prices', 0),
    ...visits(4, '05', 'Google', '/', 10),
    ...visits(5, '06', null, '/', 20),
    ...visits(2, '11', 'Google', '/prices', 0),
    ...visits(4, '12', 'Google', '/', 10),
    ...visits(6, '15', null, '/', 20),
  ]);
});
afterAll(() => api.app.close());

const get = (query: string, key = api.key, website = id) =>
  api.send('GET', `/api/v1/websites/${website}/statistics/change?${query}`, { key });
const explain = async (query: string) => (await get(query)).json<ChangeJson>();

describe('GET …/statistics/change', () => {
  test('says how many there were before and after, and which days are compared', async () => {
    const { data, meta } = await explain(`${PERIOD}&metric=visits`);

    expect([data.before, data.after, data.change]).toEqual([17, 12, -5]);
    expect(meta).toEqual({
      from: '2026-11-11',
      to: '2026-11-15',
      time_zone: 'UTC',
      without_days: [],
      metric: 'visits',
      compared: { from: '2026-11-04', to: '2026-11-08', until: null },
    });
  });

  test('begins with the dimension of which the fewest and smallest values explain the change', async () => {
    const { parts, along } = (await explain(`${PERIOD}&metric=visits`)).data;

    expect(parts[0]).toEqual({
      dimension: 'entry_page',
      additive: true,
      values: [
        { value: '/prices', before: 8, after: 2, change: -6, share_of_change: 1.2 },
        { value: '/', before: 9, after: 10, change: 1, share_of_change: -0.2 },
      ],
      rest: { before: 0, after: 0, change: 0 },
    });
    expect(along).toEqual([
      {
        path: [
          { dimension: 'entry_page', value: '/prices' },
          { dimension: 'source', value: 'Google' },
        ],
        before: 8,
        after: 2,
        change: -6,
        share_of_change: 1.2,
      },
    ]);
  });

  test('begins with values that visits have, not with the label that they lack', async () => {
    const { id: website } = await api.createWebsite({ url: 'https://labels.example' });
    const visit = (day: string, visitor: number, source: string, utmSource: string | null) => ({
      ...{ visitor: BigInt(visitor), source, utmSource, time: new Date(`2026-11-${day}T10:00:00Z`) },
    });
    await addHits(api, website, [
      ...['04', '11'].map((day) => visit(day, 1, 'Example', 'newsletter')),
      ...[2, 3, 4, 5].map((visitor) => visit('11', visitor, visitor % 2 === 0 ? 'Google' : 'Bing', null)),
    ]);

    const { parts, along } = (await get(`${PERIOD}&metric=visits`, api.key, website)).json<ChangeJson>().data;

    expect(parts[0]?.dimension).toBe('source');
    expect(along[0]?.path[0]).toEqual({ dimension: 'source', value: 'Bing' });
  });

  test.each(['visitors', 'visits', 'pageviews', 'events'])(
    '%s add up in each dimension, to the digit',
    async (metric) => {
      const { data } = await explain(`${PERIOD}&metric=${metric}&country=DE`);

      for (const { dimension, values, rest, additive } of data.parts) {
        if (!additive) continue;
        // There are fewer values than are listed.
        if (metric !== 'visitors') expect([dimension, rest]).toEqual([dimension, { before: 0, after: 0, change: 0 }]);
        const sum = (of: keyof Difference) => values.reduce((whole, value) => whole + value[of], rest?.[of] ?? 0);
        expect([dimension, sum('before'), sum('after'), sum('change')]).toEqual([
          dimension,
          data.before,
          data.after,
          data.change,
        ]);
      }
    },
  );

  test('pages and events only rank, and come last, but for pageviews of pages', async () => {
    const visits = (await explain(`${PERIOD}&metric=visits`)).data.parts;
    const pageviews = (await explain(`${PERIOD}&metric=pageviews`)).data.parts;

    expect(visits.slice(-2).map(({ dimension, additive, rest }) => [dimension, additive, rest])).toEqual([
      ['page', false, null],
      ['event', false, null],
    ]);
    expect(visits.at(-2)?.values[0]).toMatchObject({ value: '/prices', share_of_change: null });
    expect(pageviews.find(({ dimension }) => dimension === 'page')?.additive).toBe(true);
  });

  test('counts the conversions of a goal', async () => {
    const sent = { json: { name: 'Prices', page: '/prices' } };
    const goal = (await api.send('POST', `/api/v1/websites/${id}/goals`, sent)).json<{ data: { id: string } }>();
    const { data } = await explain(`${PERIOD}&metric=conversions&conversion=${goal.data.id}`);

    expect([data.before, data.after]).toEqual([8, 2]);
    expect(data.parts.find(({ dimension }) => dimension === 'source')?.values).toEqual([
      { value: 'Google', before: 8, after: 2, change: -6, share_of_change: 1 },
    ]);
  });

  test('compares a period that is not over with as much of the one before', async () => {
    const { meta } = await explain('from=2026-11-16&to=2026-11-22');

    expect(meta.compared).toEqual({ from: '2026-11-09', to: '2026-11-13', until: '2026-11-13T12:00:00+00:00' });
    expect(meta.metric).toBe('visitors');
  });

  test.each([
    ['metric=bounces', 'metric not_allowed'],
    ['metric=conversions', 'conversion required'],
    ['compare=custom', 'compare_from required', 'compare_to required'],
    ['compare=custom&compare_from=2026-11-08', 'compare_to required'],
    ['compare=custom&compare_from=&compare_to=x', 'compare_from not_allowed', 'compare_to not_allowed'],
    ['compare=custom&compare_from=2026-11-08&compare_to=2026-11-04', 'compare_to not_allowed'],
    ['compare_from=2026-11-01', 'compare_from not_allowed'],
    ['compare=week', 'compare not_allowed'],
  ])('%s is rejected', async (query, ...faults) => {
    expect((await get(query)).faults()).toEqual(faults);
  });
});

test('days whose hits are deleted are left out, and named', async () => {
  const own = createInMemoryRepositories(timeZone('UTC'));
  const other = await startApi({ repositories: own });
  const { id: website } = await other.createWebsite({ url: 'https://deleted.example' });
  await addHits(other, website, [
    { time: new Date('2026-11-05T10:00:00Z') },
    { time: new Date('2026-11-13T10:00:00Z') },
  ]);
  await own.maintenance.deleteHitsBefore('2026-11-12');

  const response = await other.send(
    'GET',
    `/api/v1/websites/${website}/statistics/change?from=2026-11-11&to=2026-11-15`,
  );

  const { data, meta } = response.json<ChangeJson>();
  await other.app.close();
  expect([data.before, data.after]).toEqual([0, 1]);
  expect(meta.without_days).toEqual([
    { from: '2026-11-06', to: '2026-11-10', format: null },
    { from: '2026-11-11', to: '2026-11-11', format: null },
  ]);
});

describe('what the owner changed', () => {
  test('silent days, annotations and settings of both periods stand next to it, in order of time', async () => {
    await api.send('POST', `/api/v1/websites/${id}/annotations`, { json: { day: '2026-11-12', text: 'Relaunch' } });
    await api.send('PATCH', `/api/v1/websites/${id}`, { json: { exclude_bots: 0, privacy: 1 } });
    const { ours } = (await explain('from=2026-11-11&to=2026-11-20')).data;

    expect(ours.map(({ at, kind, text }) => [at, kind, text])).toEqual([
      ['2026-11-07', 'silence', 'There was no hit on 2026-11-07 to 2026-11-10.'],
      ['2026-11-12', 'annotation', 'Relaunch'],
      ['2026-11-13', 'silence', 'There was no hit on 2026-11-13 to 2026-11-14.'],
      ['2026-11-16', 'silence', 'There was no hit on 2026-11-16 to 2026-11-19.'],
      [expect.stringMatching(/^2026-11-20T12/), 'setting', 'exclude_bots was changed from 1 to 0.'],
    ]);
  });

  test('cleanups stand next to it with the visits that they add to the change, and the undone ones', async () => {
    const settle = async () => {
      while (await settleCleanup({ ...repositories, now: api.clock.now }));
    };
    const cleanups = `/api/v1/websites/${id}/cleanups`;
    const json = { name: 'Germany', filters: { country: ['DE'] } };
    const created = await api.send('POST', cleanups, { json });
    await settle();
    const cleaned = async (query = '') =>
      (await explain(`${PERIOD}&metric=visits${query}`)).data.ours.filter(({ kind }) => kind === 'cleanup');
    const { before, after } = (await explain(`${PERIOD}&metric=visits`)).data;

    const [own] = await cleaned();
    expect(own).toMatchObject({ text: 'The cleanup “Germany” hides 6 visits, 9 before.', visits: 3 });
    expect([before + 9, after + 6]).toEqual([17, 12]);
    expect(await cleaned('&country=FR')).toEqual([]);

    await api.send('DELETE', created.header('location') ?? '');
    await settle();
    expect(await cleaned()).toEqual([]);
    const { ours } = (await explain('from=2026-11-11&to=2026-11-20')).data;
    expect(ours.filter(({ kind }) => kind === 'cleanup')).toEqual([
      {
        at: expect.stringMatching(/^2026-11-20/),
        kind: 'cleanup',
        text: 'The cleanup “Germany” was undone.',
        visits: null,
      },
    ]);
  });

  test('changes between the days of both stand next to it, however many others there were since', async () => {
    const { data } = (await api.send('POST', '/api/v1/websites', { json: { url: 'https://between.example' } })).json<{
      data: { id: string };
    }>();
    await api.send('PATCH', `/api/v1/websites/${data.id}`, { json: { exclude_bots: 0 } });
    for (let day = 1; day <= 120; day += 1) {
      await api.send('POST', `/api/v1/websites/${data.id}/annotations`, {
        json: { day: '2020-01-01', text: `${day}` },
      });
    }
    const later = 'from=2026-11-21&to=2026-11-22&compare=custom&compare_from=2026-11-01&compare_to=2026-11-02';
    api.clock.advance(3 * 86_400_000);

    const { ours } = (await get(later, api.key, data.id)).json<ChangeJson>().data;

    api.clock.advance(-3 * 86_400_000);
    expect(ours.map(({ text }) => text)).toEqual(['exclude_bots was changed from 1 to 0.']);
  });

  test('a day whose visits are all hidden is not silent, and notes of days that are in both are listed once', async () => {
    const created = await api.send('POST', `/api/v1/websites/${id}/cleanups`, {
      json: { name: 'All', filters: { country: ['DE', 'FR'] }, hides_all: true },
    });
    while (await settleCleanup({ ...repositories, now: api.clock.now }));

    const { ours } = (
      await explain('from=2026-11-11&to=2026-11-13&compare=custom&compare_from=2026-11-12&compare_to=2026-11-15')
    ).data;

    await api.send('DELETE', created.header('location') ?? '');
    while (await settleCleanup({ ...repositories, now: api.clock.now }));
    expect(ours.filter(({ kind }) => kind === 'silence' || kind === 'annotation').map(({ text }) => text)).toEqual([
      'Relaunch',
      'There was no hit on 2026-11-13 to 2026-11-14.',
    ]);
  });

  test('versions with other lists than the one before stand next to it', async () => {
    const release = { version: '1.0.0', bots: 'a', sources: 'a', at: new Date('2026-11-12T08:00:00Z') };
    await repositories.releases.note(release);
    await repositories.releases.note({ ...release, version: '1.0.1', bots: 'b', at: new Date('2026-11-13T08:00:00Z') });
    await repositories.releases.note({ ...release, version: '1.1.0', at: new Date('2026-11-21T08:00:00Z') });

    const { ours } = (await explain('from=2026-11-11&to=2026-11-20')).data;
    expect(ours.filter(({ kind }) => kind === 'release')).toEqual([
      {
        at: '2026-11-13T08:00:00.000Z',
        kind: 'release',
        text: 'Version 1.0.1 brought another list of bots.',
        visits: null,
      },
    ]);
  });
});
