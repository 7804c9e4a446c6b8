import type { CrawlerHits } from '@hitherto/domain/hits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, startApi } from '../support/api.ts';

// counting.md, "Crawlers": GET …/statistics/crawlers and below it.

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.app.close());

const get = (id: string, path: string) => api.send('GET', `/api/v1/websites/${id}/statistics/crawlers${path}`);

/** A website that has been crawled on two days. */
async function crawledWebsite(): Promise<string> {
  const { id } = await api.createWebsite();
  const crawl = (hits: Partial<CrawlerHits>) =>
    api.crawlers.add({
      websiteId: id,
      day: '2026-11-20',
      operator: 'Google',
      purpose: 'search',
      page: '/a',
      hits: 1,
      hits4xx: 0,
      ...hits,
    });
  crawl({ hits: 2 });
  crawl({ day: '2026-11-02', operator: 'OpenAI', purpose: 'ai_training', page: '/b', hits: 4, hits4xx: 3 });
  crawl({ day: '2026-10-01', hits: 100 });
  return id;
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const META = '{"from":"2026-10-24","to":"2026-11-20","time_zone":"UTC"';

describe('GET …/statistics/crawlers', () => {
  test('has the hits of bots and the share of 4xx', async () => {
    const id = await crawledWebsite();

    expect((await get(id, '')).text).toBe(`{"data":{"hits":6,"share_4xx":0.5},"meta":${META}}}`);
    expect((await get(id, '?from=2026-11-20&to=2026-11-20')).json()).toMatchObject({
      data: { hits: 2, share_4xx: 0 },
    });
  });

  test('is null of nothing', async () => {
    const { id } = await api.createWebsite();

    expect((await get(id, '')).json()).toMatchObject({ data: { hits: 0, share_4xx: null } });
  });

  test.each([
    [
      'operator',
      [
        { value: 'OpenAI', hits: 4, share_4xx: 0.75 },
        { value: 'Google', hits: 2, share_4xx: 0 },
      ],
    ],
    [
      'purpose',
      [
        { value: 'ai_training', hits: 4, share_4xx: 0.75 },
        { value: 'search', hits: 2, share_4xx: 0 },
      ],
    ],
    [
      'page',
      [
        { value: '/b', hits: 4, share_4xx: 0.75 },
        { value: '/a', hits: 2, share_4xx: 0 },
      ],
    ],
  ])('lists them by %s, most hits first', async (list, data) => {
    const id = await crawledWebsite();

    expect((await get(id, `/by/${list}`)).json()).toEqual({
      data,
      meta: { from: '2026-10-24', to: '2026-11-20', time_zone: 'UTC', total: 2 },
    });
  });

  test('lists the first 1,000 values, most hits first', async () => {
    const { id } = await api.createWebsite();
    const hit = { websiteId: id, day: '2026-11-20', operator: 'Google', purpose: 'search', hits4xx: 0 } as const;
    for (let index = 1; index <= 1_001; index += 1) api.crawlers.add({ ...hit, page: `/p${index}`, hits: index });

    const list = (await get(id, '/by/page')).json();

    const data = Array.from({ length: 1_000 }, (_, index) => ({ value: `/p${1_001 - index}`, hits: 1_001 - index }));
    expect(list).toMatchObject({ data, meta: { total: 1_001 } });
  });

  test('has a series by day, week or month, with empty intervals', async () => {
    const id = await crawledWebsite();

    expect((await get(id, '/series?from=2026-11-19&to=2026-11-20')).text).toBe(
      '{"data":[{"start":"2026-11-19","hits":0,"share_4xx":null},{"start":"2026-11-20","hits":2,"share_4xx":0}],"meta":{"from":"2026-11-19","to":"2026-11-20","time_zone":"UTC","interval":"day"}}',
    );
    expect((await get(id, '/series?from=2026-10-01&to=2026-11-20&interval=month')).json()).toMatchObject({
      data: [
        { start: '2026-10-01', hits: 100 },
        { start: '2026-11-01', hits: 6, share_4xx: 0.5 },
      ],
    });
    expect((await get(id, '/series?from=2026-11-20&to=2026-11-20')).json()).toMatchObject({
      meta: { interval: 'day' },
    });
  });

  test('takes a period, and filters nothing', async () => {
    const id = await crawledWebsite();

    expect((await get(id, '?country=DE')).faults()).toEqual(['country unknown']);
    expect((await get(id, '/by/page?from=2026-11-20')).faults()).toEqual(['to required']);
    expect((await get(id, '/series?interval=hour')).faults()).toEqual(['interval not_allowed']);
    expect((await get(id, '/by/country')).status).toBe(404);
  });

  test("is not found of another account's website", async () => {
    const id = await crawledWebsite();
    const key = api.otherKey;

    for (const path of ['', '/series', '/by/page']) {
      const { status } = await api.send('GET', `/api/v1/websites/${id}/statistics/crawlers${path}`, { key });
      expect(status).toBe(404);
    }
  });

  test('sums up the hits of bots that were sent, whether the website excludes bots or not', async () => {
    const hit = (website: string, url: string, more: object = {}) => ({ website, url, ip: '192.0.2.1', ...more });
    for (const exclude_bots of [0, 1]) {
      const { id, url } = await api.createWebsite({ exclude_bots, url: `https://crawled-${exclude_bots}.example` });
      await api.send('POST', '/api/v1/hits', {
        json: {
          hits: [
            hit(id, `${url}/a?utm_source=x`, { user_agent: 'Examplebot/1.0' }),
            hit(id, `${url}/b`, { user_agent: FIREFOX, automated: true }),
            hit(id, `${url}/c`, { user_agent: FIREFOX }),
            hit(id, 'https://elsewhere.example/', { user_agent: 'Examplebot/1.0' }),
          ],
        },
      });

      expect((await get(id, '/by/page')).json()).toMatchObject({ data: [{ value: '/a' }, { value: '/b' }] });
      expect((await get(id, '/by/operator')).json()).toMatchObject({
        data: [
          { value: '(automated browser)', hits: 1 },
          { value: 'Examplebot', hits: 1 },
        ],
      });
    }
  });
});
