import { afterAll, describe, expect, test } from 'vitest';
import { aHit, is, rows, rowsOf, startSite, TODAY } from './site.ts';

const { api, query, get } = await startSite({
  name: 'dummy.site',
  website: { url: 'https://dummy.site' },
  hits: [
    aHit(1n, TODAY, '10:00', { page: '/blog/a' }),
    aHit(1n, TODAY, '10:01', { page: '/blog/b' }),
    aHit(1n, TODAY, '10:02', { page: '/about' }),
    aHit(1n, TODAY, '10:03', { name: 'Signup', page: '/about', props: { plan: 'pro' } }),
    aHit(1n, TODAY, '10:04', { name: 'Signup', page: '/about', props: { plan: 'free' } }),
    aHit(2n, TODAY, '11:00', { page: '/blog/a' }),
    aHit(3n, TODAY, '11:00', { page: '/about' }),
    aHit(3n, TODAY, '11:01', { name: 'Download', page: '/about', props: { file: 'a.pdf' } }),
    aHit(4n, TODAY, '11:00', { name: 'Download', page: '/about' }),
    aHit(4n, TODAY, '11:01', { name: 'Download', page: '/about', props: { file: '' } }),
    aHit(5n, TODAY, '11:00', { name: 'Call', page: '/about', props: { line: 1 } }),
    aHit(5n, TODAY, '11:01', { name: 'Call', page: '/about' }),
  ],
  goals: [
    { name: 'Download', event: 'Download' },
    { name: 'Call', event: 'Call' },
  ],
});
afterAll(() => api.app.close());

const BLOG = ['contains', 'event:page', ['/blog']];
const ask = (body: object) => query({ date_range: 'day', ...body });

describe('filters by the dimension of the query', () => {
  test('choose its rows, which are exact', async () => {
    const pages = { dimensions: ['event:page'], metrics: ['visitors', 'pageviews'] };
    const { body } = await ask({ ...pages, filters: [BLOG] });
    const one = await ask({ ...pages, filters: [BLOG, is('event:page', '/blog/b', '/about')] });

    expect(rowsOf(body)).toEqual(rows(['/blog/a', 2, 2], ['/blog/b', 1, 1]));
    expect(body.meta).toEqual({});
    expect(rowsOf(one.body)).toEqual(rows(['/blog/b', 1, 1]));
  });

  test('choose the rows of each day', async () => {
    const { body } = await ask({ dimensions: ['time:day', 'event:page'], filters: [BLOG] });

    expect(rowsOf(body)).toEqual(rows([TODAY, '/blog/a', 2], [TODAY, '/blog/b', 1]));
  });

  test('choose the values of a property', async () => {
    const { body } = await ask({ dimensions: ['event:props:plan'], filters: [is('event:props:plan', 'pro')] });

    expect(rowsOf(body)).toEqual(rows(['pro', 1]));
  });

  test('choose the rows of version 1', async () => {
    const { body } = await get('stats/breakdown?period=day&property=event:page&filters=event:page%3D%3D/blog/*');

    expect(body.results).toEqual([
      { page: '/blog/a', visitors: 2 },
      { page: '/blog/b', visitors: 1 },
    ]);
  });

  test('choose visits if they are negated, and that is said', async () => {
    const filters = [['is_not', 'event:page', ['/blog/b']]];
    const { body } = await ask({ dimensions: ['event:page'], metrics: ['visitors', 'pageviews'], filters });

    expect(rowsOf(body)).toEqual(rows(['/about', 1, 1], ['/blog/a', 1, 1]));
    expect(body.meta.metric_warnings).toMatchObject({ pageviews: { code: 'whole_visits' } });
  });
});

describe('events without the property', () => {
  const metrics = ['visitors', 'events'];

  test('are the row "(none)" of a goal', async () => {
    const files = { dimensions: ['event:props:file'], metrics, filters: [is('event:goal', 'Download')] };
    const { body } = await ask(files);
    const byDay = await ask({ ...files, dimensions: ['time:day', 'event:props:file'] });
    const version1 = await get('stats/breakdown?period=day&property=event:props:file&filters=event:goal%3D%3DDownload');

    expect(rowsOf(body)).toEqual(rows(['(none)', 1, 2], ['a.pdf', 1, 1]));
    expect(rowsOf(byDay.body)).toEqual(rows([TODAY, '(none)', 1, 2], [TODAY, 'a.pdf', 1, 1]));
    expect(version1.body.results).toEqual([
      { file: '(none)', visitors: 1 },
      { file: 'a.pdf', visitors: 1 },
    ]);
  });

  test.each<[string, object, ReturnType<typeof rows>]>([
    [
      'where a visit has both',
      { dimensions: ['event:props:line'], filters: [is('event:goal', 'Call')] },
      rows(['1', 1, 1]),
    ],
    ['without a goal', { dimensions: ['event:props:file'] }, rows(['a.pdf', 1, 1])],
  ])('are left out %s, and that is said', async (_, body, expected) => {
    const { body: answer } = await ask({ metrics, ...body });

    expect(rowsOf(answer)).toEqual(expected);
    expect(answer.meta.metric_warnings).toEqual({
      visitors: { code: 'none_left_out', warning: expect.any(String) },
      events: { code: 'none_left_out', warning: expect.any(String) },
    });
  });

  test('are left out of comparisons, which would count them as 0 if one period lacked them', async () => {
    const { body } = await ask({
      dimensions: ['event:props:file'],
      filters: [is('event:goal', 'Download')],
      include: { comparisons: { mode: 'previous_period' } },
    });

    expect(rowsOf(body)).toEqual(rows(['a.pdf', 1]));
  });

  test('share their warning with visitors per day', async () => {
    const { body } = await query({ date_range: '7d', dimensions: ['event:props:file'] });

    expect(body.meta.metric_warnings.visitors).toEqual({
      code: 'visitors_per_day',
      warning: expect.stringMatching(/per day.*"\(none\)"/),
    });
  });
});
