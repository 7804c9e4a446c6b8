import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../definitions/definitions.ts';
import { type Api, startApi } from '../support/api.ts';
import { anExample } from './histories.ts';

// api.md, "Statistics": GET …/statistics/goals, …/funnels/{funnel_id}, and conversion=GOAL_ID.

let api: Api;
let id: string;
const goals: Record<string, string> = {};
beforeAll(async () => {
  api = await startApi();
  id = await anExample(api);
  const bodies = {
    signup: { name: 'Signup "é"', event: 'Signup', sum: 'seats' },
    pro: { name: '=Pro', event: 'Signup', props: { plan: 'pro' } },
    checkout: { name: 'Reached /b', page: '/b*' },
    nothing: { name: 'Nothing', event: 'Nothing', sum: 'x' },
  };
  for (const [name, body] of Object.entries(bodies)) {
    goals[name] = (await create(api, `/api/v1/websites/${id}/goals`, body)).data.id;
  }
});
afterAll(() => api.app.close());

const show = (path: string, accept = 'application/json', website = id) =>
  api.send('GET', `/api/v1/websites/${website}/statistics${path}`, { headers: { accept } });

describe('GET …/statistics/goals', () => {
  test('has the numbers of all goals in the order of their creation', async () => {
    const response = await show('/goals');

    expect(response.json()).toEqual({
      data: [
        {
          goal: { id: goals.signup, name: 'Signup "é"' },
          ...{ visitors: 1, visits: 1, conversions: 1, conversion_rate: 0.5, sum: 3 },
        },
        {
          goal: { id: goals.pro, name: '=Pro' },
          ...{ visitors: 1, visits: 1, conversions: 1, conversion_rate: 0.5, sum: null },
        },
        {
          goal: { id: goals.checkout, name: 'Reached /b' },
          ...{ visitors: 2, visits: 2, conversions: 2, conversion_rate: 1, sum: null },
        },
        {
          goal: { id: goals.nothing, name: 'Nothing' },
          ...{ visitors: 0, visits: 0, conversions: 0, conversion_rate: 0, sum: 0 },
        },
      ],
      meta: { from: '2026-10-24', to: '2026-11-20', time_zone: 'UTC', without_days: [] },
    });
  });

  test('counts the chosen visits, and compares', async () => {
    const filtered = await show('/goals?source=');
    const compared = await show('/goals?from=2026-11-21&to=2026-11-21&compare=previous');

    expect(filtered.json<{ data: { conversions: number }[] }>().data.map(({ conversions }) => conversions)).toEqual([
      0, 0, 1, 0,
    ]);
    expect(compared.json()).toMatchObject({
      data: [{ conversions: 0, conversion_rate: null, sum: 0 }, {}, {}, {}],
      comparison: { from: '2026-11-20', to: '2026-11-20', data: [{ conversions: 1, sum: 3 }, {}, {}, {}] },
    });
  });

  test('of a period that is not over are compared until the same time of day', async () => {
    const compared = await show('/goals?from=2025-11-20&to=2026-11-20&compare=year');

    expect(compared.json()).toMatchObject({ comparison: { to: '2025-11-20', until: '2025-11-20T12:00:00+00:00' } });
  });

  test('of a website without goals is empty', async () => {
    const { id: other } = await api.createWebsite();

    expect((await show('/goals?compare=year', 'application/json', other)).json()).toMatchObject({
      data: [],
      comparison: { data: [] },
    });
  });

  test('as CSV has one line a goal, and takes no comparison', async () => {
    const csv = await show('/goals', 'text/csv');
    const compared = await show('/goals?compare=year', 'text/csv');

    expect(csv.header('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n')).toEqual([
      'goal_id,goal_name,visitors,visits,conversions,conversion_rate,sum',
      `${goals.signup},"Signup ""é""",1,1,1,0.5,3`,
      `${goals.pro},'=Pro,1,1,1,0.5,`,
      `${goals.checkout},Reached /b,2,2,2,1,`,
      `${goals.nothing},Nothing,0,0,0,0,0`,
      '',
    ]);
    expect(compared.faults()).toEqual(['compare not_allowed']);
  });

  test('a change of a goal changes all its numbers, and a deleted goal is gone', async () => {
    const { one } = await create(api, `/api/v1/websites/${id}/goals`, { name: 'later', page: '/none' });
    const last = async () =>
      (await show('/goals')).json<{ data: { goal: { name: string }; visits: number }[] }>().data.at(-1);
    const before = await last();

    await api.send('PATCH', one, { json: { page: '*' } });
    const changed = await last();
    await api.send('DELETE', one);

    expect([before?.visits, changed?.visits]).toEqual([0, 3]);
    expect((await last())?.goal.name).toBe('Nothing');
  });
});

describe('GET …/statistics/funnels/{funnel_id}', () => {
  let funnel: string;
  beforeAll(async () => {
    const steps = [
      { name: 'Any', page: '*' },
      { name: '@B', page: '/b' },
      { name: 'Signup', event: 'Signup' },
      { name: 'Never', page: '/never' },
      { name: 'After', page: '*' },
    ];
    funnel = (await create(api, `/api/v1/websites/${id}/funnels`, { name: 'Purchase', steps })).data.id;
  });

  test('has visits and visitors of each step, with ratios', async () => {
    expect((await show(`/funnels/${funnel}`)).json()).toEqual({
      data: [
        { step: 'Any', visits: 3, visitors: 2, of_first: 1, of_previous: 1 },
        { step: '@B', visits: 2, visitors: 2, of_first: 0.6667, of_previous: 0.6667 },
        { step: 'Signup', visits: 1, visitors: 1, of_first: 0.3333, of_previous: 0.5 },
        { step: 'Never', visits: 0, visitors: 0, of_first: 0, of_previous: 0 },
        { step: 'After', visits: 0, visitors: 0, of_first: 0, of_previous: null },
      ],
      meta: { from: '2026-10-24', to: '2026-11-20', time_zone: 'UTC', without_days: [] },
    });
  });

  test('of no visits has null ratios; filters choose the visits', async () => {
    const { data } = (await show(`/funnels/${funnel}?country=XX`)).json<{ data: object[] }>();

    expect(data[0]).toEqual({ step: 'Any', visits: 0, visitors: 0, of_first: null, of_previous: null });
  });

  test('as CSV has one line a step', async () => {
    expect((await show(`/funnels/${funnel.toUpperCase()}`, 'text/csv')).text.split('\r\n').slice(0, 3)).toEqual([
      'step,visits,visitors,of_first,of_previous',
      'Any,3,2,1,1',
      "'@B,2,2,0.6667,0.6667",
    ]);
  });

  test('an unknown funnel is 404, after the faults of the query', async () => {
    const { id: other } = await api.createWebsite();

    expect((await show(`/funnels/${goals.signup}`)).status).toBe(404);
    expect((await show(`/funnels/${goals.signup}?goal=${funnel}`)).status).toBe(404);
    expect((await show(`/funnels/${funnel}`, 'application/json', other)).status).toBe(404);
    expect((await show('/funnels/x?compare=year')).faults()).toEqual(['compare unknown']);
  });
});

describe('conversion=GOAL_ID', () => {
  const converted = (visitors: number, conversions: number, conversion_rate: number | null) => ({
    converted: { visitors, conversions, conversion_rate },
  });

  test('is added to totals and their comparison', async () => {
    const response = await show(
      `?conversion=${goals.checkout?.toUpperCase()}&from=2026-11-21&to=2026-11-21&compare=previous`,
    );
    const filtered = await show(`?conversion=${goals.signup}&source=Google`);

    expect(response.json()).toMatchObject({
      data: { visits: 0, ...converted(0, 0, null) },
      comparison: { data: { visits: 3, ...converted(2, 2, 1) } },
    });
    expect(filtered.json()).toMatchObject({ data: { visits: 1, ...converted(1, 1, 1) } });
  });

  test.each([
    ['hour', 24, 8],
    ['day', 1, 0],
    ['week', 1, 0],
    ['month', 1, 0],
  ])('is added to each point of a series by %s', async (interval, count, index) => {
    const response = await show(
      `/series?conversion=${goals.signup}&interval=${interval}&from=2026-11-20&to=2026-11-20`,
    );

    const { data } = response.json<{ data: { visitors: number; converted: object }[] }>();
    expect(data).toHaveLength(count);
    expect(data[index]).toMatchObject(converted(1, 1, interval === 'hour' ? 1 : 0.5));
    if (interval === 'hour') expect(data[0]).toMatchObject(converted(0, 0, null));
  });

  test('is added to each value, whose order and pages stay', async () => {
    const plain = await show('/by/page');
    const pages = await show(`/by/page?conversion=${goals.signup}`);
    const sources = await show(`/by/source?conversion=${goals.signup}`);
    const plans = await show(`/by/property?event=Signup&property=plan&conversion=${goals.checkout}`);

    const { data } = pages.json<{ data: { value: string; converted?: object }[] }>();
    expect(data.map(({ converted: _, ...row }) => row)).toEqual(plain.json<{ data: object[] }>().data);
    expect(data).toMatchObject([
      { value: '/a', ...converted(1, 1, 0.5) },
      { value: '/b', ...converted(1, 1, 0.5) },
      { value: '/é', ...converted(0, 0, 0) },
    ]);
    expect(sources.json()).toMatchObject({
      data: [
        { value: null, ...converted(0, 0, 0) },
        { value: 'Google', ...converted(1, 1, 1) },
      ],
    });
    expect(plans.json()).toMatchObject({ data: [{ value: 'pro', ...converted(1, 1, 1) }] });
  });

  test('is three columns in CSV', async () => {
    const series = await show(
      `/series?conversion=${goals.signup}&from=2026-11-20&to=2026-11-20&interval=day`,
      'text/csv',
    );
    const values = await show(`/by/page?conversion=${goals.signup}`, 'text/csv');
    const none = await show(`/by/page?country=XX&conversion=${goals.signup}`, 'text/csv');

    expect(series.text).toBe(
      'start,visitors,visits,pageviews,events,converted_visitors,conversions,conversion_rate\r\n2026-11-20,2,3,7,1,1,1,0.5\r\n',
    );
    expect(values.text.split('\r\n').slice(0, 2)).toEqual([
      'value,visitors,visits,pageviews,engaged_seconds,scroll_depth,converted_visitors,conversions,conversion_rate',
      '/a,2,3,4,,,1,1,0.5',
    ]);
    expect(none.text).toBe(
      'value,visitors,visits,pageviews,engaged_seconds,scroll_depth,converted_visitors,conversions,conversion_rate\r\n',
    );
  });

  test('an unknown goal is 422, and goals and funnels take none', async () => {
    const gone = '01997c3e-0000-7000-8000-00000000dead';

    for (const path of ['?', '/series?', '/by/page?', '/by/property?event=a&property=b&']) {
      expect((await show(`${path}conversion=${gone}`)).faults()).toEqual(['conversion unknown_goal']);
    }
    expect((await show('?conversion=')).faults()).toEqual(['conversion unknown_goal']);
    expect((await show(`/goals?conversion=${goals.signup}`)).faults()).toEqual(['conversion unknown']);
  });
});
