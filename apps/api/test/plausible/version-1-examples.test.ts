import { afterAll, describe, expect, test } from 'vitest';
import { startExampleSite } from './site.ts';

// The examples of the reference of version 1 of Plausible's Stats API, each with the documented shape of its response.

const { api, get } = await startExampleSite();
afterAll(() => api.app.close());

describe('the documented examples of version 1', () => {
  test('totals, with a filter by page', async () => {
    const totals = await get('stats/aggregate?period=6mo&metrics=visitors,pageviews,bounce_rate,visit_duration');
    const page = await get('stats/aggregate?period=6mo&filters=event:page%3D%3D%2Fpricing');

    const value = expect.any(Number);
    expect(totals.body).toEqual({
      results: { visitors: { value: 3 }, pageviews: { value: 3 }, bounce_rate: { value }, visit_duration: { value } },
    });
    expect(page.body).toEqual({ results: { visitors: { value: 1 } } });
  });

  test('a series by month, with a filter by source', async () => {
    const series = await get('stats/timeseries?period=6mo');
    const google = await get('stats/timeseries?period=6mo&filters=visit:source%3D%3DGoogle');

    expect(series.body.results).toHaveLength(6);
    for (const point of series.body.results)
      expect(point).toEqual({ date: expect.stringMatching(/-01$/), visitors: expect.any(Number) });
    const sum = (points: { visitors: number }[]) => points.reduce((all, { visitors }) => all + visitors, 0);
    expect([sum(series.body.results), sum(google.body.results)]).toEqual([3, 1]);
  });

  test('sources, pages, and the properties of an event', async () => {
    const sources = await get('stats/breakdown?period=6mo&property=visit:source&metrics=visitors,bounce_rate&limit=5');
    const pages = await get('stats/breakdown?period=6mo&property=event:page&limit=5');
    const methods = await get(
      'stats/breakdown?period=6mo&property=event:props:method&filters=event:goal%3D%3DDownload',
    );

    expect(sources.body.results).toEqual([
      { source: 'Direct / None', visitors: 2, bounce_rate: 50 },
      { source: 'Google', visitors: 1, bounce_rate: 0 },
    ]);
    expect(pages.body.results).toContainEqual({ page: '/pricing', visitors: 1 });
    expect(methods.body).toEqual({ results: [{ method: 'HTTP', visitors: 1 }] });
  });

  test.each<[string, number]>([
    ['event:page%3D%3D/Blog/*', 1],
    ['event:page%3D%3D*/a', 1],
    ['event:page!%3D/Blog/*', 2],
    ['visit:country_name%3D%3DEst*', 1],
    ['visit:os%3D%3DWin*', 1],
    ['event:page%3D%3D/pricing|/Blog/a', 2],
    ['event:page%3D%3D/a%5C%7Cb', 0],
    ['event:goal%3D%3DVisit%20/pricing', 1],
    ['event:goal%3D%3DSign*', 1],
    ['visit:source!%3DGoogle%3D%3D', 3],
  ])('understands the filter %s', async (filters, visitors) => {
    expect(await get(`stats/aggregate?period=7d&filters=${filters}`)).toEqual({
      status: 200,
      body: { results: { visitors: { value: visitors } } },
    });
  });

  test('months are whole, also where "date" is not their last day', async () => {
    const { body } = await get('stats/timeseries?period=month&date=2024-02-10');

    expect([body.results.length, body.results.at(-1)]).toEqual([29, { date: '2024-02-29', visitors: 0 }]);
  });
});
