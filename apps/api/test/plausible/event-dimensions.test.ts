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
