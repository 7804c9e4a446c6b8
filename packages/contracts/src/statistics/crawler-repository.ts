import { UNRECORDED } from '@hitherto/domain/changes';
import { type CrawlerHits, MAX_CRAWLER_VALUES } from '@hitherto/domain/hits';
import { beforeEach, describe, expect, it } from 'vitest';
import { addWebsite, forgetDeletedWebsites, type MakePorts, type StatisticsPorts, untilDone } from './support.ts';

const NOBODY = '01997c3e-0000-7000-8000-00000000dead';
const MONTH = ['2026-11-01', '2026-11-30'] as const;

/** The contract of `CrawlerRepository`. */
export function crawlerRepositoryContract(makePorts: MakePorts): void {
  let ports: StatisticsPorts;
  let accountId: string;
  let websiteId: string;

  beforeEach(async () => {
    ports = await makePorts();
    ({ accountId, websiteId } = await addWebsite(ports));
  });

  const crawl = (hits: Partial<CrawlerHits> = {}) =>
    ports.crawlers.add({
      websiteId,
      day: '2026-11-20',
      operator: 'Google',
      purpose: 'search',
      page: '/a',
      hits: 1,
      hits4xx: 0,
      ...hits,
    });
  const days = (id = websiteId) => ports.crawlers.byDay(id, ...MONTH);
  const values = (list: 'operator' | 'purpose' | 'page', limit = 10) =>
    ports.crawlers.values(websiteId, ...MONTH, list, limit);
  /** Waits until so many hits are written to both lists, which takes several statements if there are many values. */
  const written = (hits: number) =>
    expect
      .poll(async () => [sumOf(await days()), sumOf((await values('page', 3_000)).rows)], {
        timeout: 5_000,
        interval: 100,
      })
      .toStrictEqual([hits, hits]);
  const sumOf = (sums: readonly { readonly hits: number }[]) => sums.reduce((sum, { hits }) => sum + hits, 0);

  it('adds up hits by day, operator, purpose and page', async () => {
    crawl({ hits: 2 });
    crawl({ page: '/b', hits: 3, hits4xx: 1 });
    crawl({ operator: 'OpenAI', purpose: 'ai_training', hits: 4, hits4xx: 4 });
    crawl({ operator: 'OpenAI', purpose: 'ai_agent', hits: 2 });
    crawl({ day: '2026-11-21', operator: 'Bing', page: '/é?q=%F0%9F%A6%8A' });
    await written(12);

    expect(await days()).toStrictEqual([
      { day: '2026-11-20', hits: 11, hits4xx: 5 },
      { day: '2026-11-21', hits: 1, hits4xx: 0 },
    ]);
    expect(await values('operator')).toStrictEqual({
      rows: [
        { value: 'OpenAI', hits: 6, hits4xx: 4 },
        { value: 'Google', hits: 5, hits4xx: 1 },
        { value: 'Bing', hits: 1, hits4xx: 0 },
      ],
      total: 3,
    });
    expect(await values('purpose')).toStrictEqual({
      rows: [
        { value: 'search', hits: 6, hits4xx: 1 },
        { value: 'ai_training', hits: 4, hits4xx: 4 },
        { value: 'ai_agent', hits: 2, hits4xx: 0 },
      ],
      total: 3,
    });
    expect(await values('page')).toStrictEqual({
      rows: [
        { value: '/a', hits: 8, hits4xx: 4 },
        { value: '/b', hits: 3, hits4xx: 1 },
        { value: '/é?q=%F0%9F%A6%8A', hits: 1, hits4xx: 0 },
      ],
      total: 3,
    });
  });

  it('adds to sums that were written before', async () => {
    crawl({ hits: 2 });
    await written(2);
    crawl({ hits: 3, hits4xx: 1 });
    await written(5);

    expect(await values('page')).toStrictEqual({ rows: [{ value: '/a', hits: 5, hits4xx: 1 }], total: 1 });
  });

  it('sorts values with the same number of hits in byte order, and limits them', async () => {
    for (const page of ['/é', '/b', '/B', '/a']) crawl({ page });
    await written(4);

    const { rows, total } = await values('page', 3);

    expect([rows.map(({ value }) => value), total]).toStrictEqual([['/B', '/a', '/b'], 4]);
  });

  it('reads only the days of the period and the website', async () => {
    const other = await addWebsite(ports);
    crawl({ websiteId: other.websiteId, hits: 9 });
    crawl({ day: '2026-10-31', hits: 9 });
    crawl({ day: '2026-11-01' });
    crawl({ day: '2026-11-30' });
    crawl({ day: '2026-12-01', hits: 9 });
    await written(2);

    expect((await days()).map(({ day }) => day)).toStrictEqual(['2026-11-01', '2026-11-30']);
    expect(await values('operator')).toMatchObject({ rows: [{ hits: 2 }] });
  });

  it('leaves out unknown websites and malformed ids, and keeps the others', async () => {
    crawl({ websiteId: NOBODY });
    crawl({ websiteId: "' or 1=1 --" });
    crawl();
    await written(1);

    expect(await days(NOBODY)).toStrictEqual([]);
    expect(await days('x')).toStrictEqual([]);
    expect(await ports.crawlers.values('x', ...MONTH, 'page', 10)).toStrictEqual({ rows: [], total: 0 });
  });

  it('deletes the sums of a deleted website', async () => {
    crawl();
    await written(1);

    await ports.websites.delete(accountId, websiteId, undefined, UNRECORDED);
    expect(await days()).toStrictEqual([]);
    await forgetDeletedWebsites(ports);

    expect(await days()).toStrictEqual([]);
  });

  describe('trim', () => {
    const trim = (from = '2026-11-01', to = '2026-11-30') => untilDone(() => ports.crawlers.trim(from, to));
    const crawlMany = (count: number, more: Partial<CrawlerHits> = {}) => {
      for (let n = 0; n < count; n += 1) crawl({ page: `/${String(n).padStart(4, '0')}`, ...more });
    };

    it('keeps the pages with the most hits of a day, and adds up all others', async () => {
      crawlMany(MAX_CRAWLER_VALUES + 5);
      crawl({ page: '/1004', hits: 2, hits4xx: 1 });
      await written(MAX_CRAWLER_VALUES + 7);

      await trim();

      const { rows, total } = await values('page', 5);
      expect([rows.slice(0, 3), total]).toStrictEqual([
        [
          { value: '(other)', hits: 5, hits4xx: 0 },
          { value: '/1004', hits: 3, hits4xx: 1 },
          { value: '/0000', hits: 1, hits4xx: 0 },
        ],
        MAX_CRAWLER_VALUES + 1,
      ]);
      expect(await days()).toStrictEqual([{ day: '2026-11-20', hits: MAX_CRAWLER_VALUES + 7, hits4xx: 1 }]);
    });

    it('keeps the purpose of rare operators', async () => {
      for (let n = 0; n < MAX_CRAWLER_VALUES; n += 1) crawl({ operator: `Common ${n}`, hits: 2 });
      crawl({ operator: 'Rare 1', purpose: 'seo' });
      crawl({ operator: 'Rare 2', purpose: 'seo' });
      await written(2 * MAX_CRAWLER_VALUES + 2);

      await trim();

      expect(await values('purpose')).toMatchObject({
        rows: [
          { value: 'search', hits: 2 * MAX_CRAWLER_VALUES },
          { value: 'seo', hits: 2 },
        ],
      });
      expect(await values('operator')).toMatchObject({ total: MAX_CRAWLER_VALUES + 1 });
    });

    it('trims again what came later, and leaves other days alone', async () => {
      crawlMany(MAX_CRAWLER_VALUES + 1);
      crawlMany(MAX_CRAWLER_VALUES + 1, { day: '2026-11-29' });
      await written(2 * MAX_CRAWLER_VALUES + 2);
      await trim('2026-11-20', '2026-11-20');
      crawl({ page: '/z' });
      await written(2 * MAX_CRAWLER_VALUES + 3);

      await trim('2026-11-20', '2026-11-20');

      const ofDay = await ports.crawlers.values(websiteId, '2026-11-20', '2026-11-20', 'page', 1);
      expect(ofDay).toStrictEqual({
        rows: [{ value: '(other)', hits: 2, hits4xx: 0 }],
        total: MAX_CRAWLER_VALUES + 1,
      });
      const untouched = await ports.crawlers.values(websiteId, '2026-11-29', '2026-11-29', 'page', 1);
      expect(untouched.total).toBe(MAX_CRAWLER_VALUES + 1);
    });
  });
}
