import type { CrawlerHits } from '@hitherto/domain/hits';
import { expect, test } from 'vitest';
import { signIn } from './support/owner.ts';
import { startPagesForTest } from './support/pages.ts';

/** A public website that bots have asked for pages. */
async function crawledWebsite() {
  const pages = await startPagesForTest();
  const website = await pages.addWebsite({ privacy: 'public' });
  const crawl = (hits: Partial<CrawlerHits>) =>
    pages.repositories.crawlers.add({
      websiteId: website.id,
      day: '2026-11-20',
      operator: 'Google',
      purpose: 'search',
      page: '/%C3%BCber?<b>',
      hits: 1,
      hits4xx: 0,
      ...hits,
    });
  crawl({ hits: 3, hits4xx: 1 });
  crawl({ operator: 'OpenAI', purpose: 'ai_training', page: '/b' });
  crawl({ day: '2026-01-01', operator: 'Old' });
  return { pages, path: `/statistics/${website.id}`, crawl };
}

test('the owner sees who crawls, what for, and which pages, also of a website without visits', async () => {
  const { pages, path } = await crawledWebsite();
  const { cookies } = await signIn(pages, 'read');

  const { text } = await pages.send('GET', path, { cookies });

  expect(text).toMatch(
    /data-crawlers="operator".*data-value="Google".*data-metric="hits">3<.*data-metric="share_4xx"><data value="0.3333">33\.3\u00a0%<.*data-value="OpenAI"/s,
  );
  expect(text).toMatch(/data-crawlers="page".*data-value="\/%C3%BCber\?&lt;b.*\/über\?&lt;b.*data-value="\/b"/s);
  expect(text).toMatch(/data-crawlers="purpose".*data-value="search".*>search<.*>3<.*data-value="ai_training"/s);
  expect(text).not.toContain('Old');
});

test('the tab that was chosen is in front', async () => {
  const { pages, path } = await crawledWebsite();
  const { cookies } = await signIn(pages, 'read');

  const first = await pages.send('GET', path, { cookies });
  const [, link = ''] = /href="([^"]*crawlers=purposes#crawlers)"/.exec(first.text) ?? [];
  const { text } = await pages.send('GET', link.replace('#crawlers', ''), { cookies });

  const isHidden = (page: string) =>
    [...page.matchAll(/<div class="list"( hidden)?><table data-crawlers="(\w+)"/g)].map(([, hidden, list]) => [
      list,
      !hidden,
    ]);
  expect(isHidden(first.text)).toEqual([
    ['operator', true],
    ['page', false],
    ['purpose', false],
  ]);
  expect(isHidden(text)).toEqual([
    ['operator', false],
    ['page', false],
    ['purpose', true],
  ]);
});

test('nobody else sees crawlers', async () => {
  const { pages, path } = await crawledWebsite();

  const { text, status } = await pages.send('GET', path);

  expect([status, text.includes('crawler'), text.includes('Google')]).toEqual([200, false, false]);
});

test('there is no card of crawlers in a period without any', async () => {
  const { pages, path } = await crawledWebsite();
  const { cookies } = await signIn(pages, 'read');

  const { text } = await pages.send('GET', `${path}?from=2026-10-01&to=2026-10-02`, { cookies });

  expect(text).not.toContain('data-crawlers');
});

test('the card has the ten operators with the most hits, and says how many others there are', async () => {
  const { pages, path, crawl } = await crawledWebsite();
  for (let n = 0; n < 12; n += 1) crawl({ operator: `bot-${n}`, hits: 100 + n });
  const { cookies } = await signIn(pages, 'read');

  const { text } = await pages.send('GET', path, { cookies });

  expect(text.match(/data-value="bot-\d+"/g)).toHaveLength(10);
  expect(text).toContain('4 others are not shown.');
});
