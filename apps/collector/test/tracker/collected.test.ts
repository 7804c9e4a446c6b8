import { fileURLToPath } from 'node:url';
import { startBrowser } from '@hitherto/testing/browser';
import { aWebsite } from '@hitherto/testing/fixtures';
import { type SiteResponse, startTestSite, type TestSite } from '@hitherto/testing/test-site';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ID, serveCollector } from '../support/collector.ts';

/** Makes a page believe that its browser is not automated. */
const BY_HAND = () => Object.defineProperty(navigator, 'webdriver', { value: false });

let browser: Browser;
let site: TestSite;
let pages: (path: string) => string | undefined;
/** Where requests below /stats/ are forwarded. */
let behind: string;
beforeAll(async () => {
  browser = await startBrowser();
  site = await startTestSite(async ({ method, path, headers, body }): Promise<SiteResponse | undefined> => {
    if (path.startsWith('/stats/')) return pass(path, method, headers['content-type'], body);
    const html = pages(path);
    return html === undefined ? undefined : { body: `<!doctype html><title>é</title>${html}` };
  });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

async function pass(path: string, method: string, type = '', body: string): Promise<SiteResponse> {
  const init = method === 'POST' ? { method, body, headers: { 'content-type': type } } : {};
  const response = await fetch(behind + path.slice('/stats'.length), init);
  const headers = { 'content-type': response.headers.get('content-type') ?? '' };
  return { status: response.status, headers, body: await response.text() };
}

/** Starts the collector for the site; resolves to it with its address as pages see it. */
async function startCollector(excludedParams: readonly string[] = []) {
  const collector = await serveCollector({ websites: [aWebsite({ url: 'http://site.test', excludedParams })] });
  behind = await collector.app.listen({ port: 0, host: '127.0.0.1' });
  const url = behind.replace('127.0.0.1', 'stats.test');
  const snippet = `<script defer src="${url}/script.js" data-website="${ID}"></script>`;
  return { ...collector, url, snippet };
}

async function open(path: string, options?: BrowserContextOptions, before?: () => void): Promise<Page> {
  const context = await browser.newContext({ locale: 'de-CH', ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (before !== undefined) await page.addInitScript(before);
  await page.goto(site.url('site.test', path));
  return page;
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(200);
}

describe('the tracker and the collector', () => {
  test('count a page with its campaign and the language of the browser', async () => {
    const { hits, snippet } = await startCollector();
    pages = () => snippet;

    const page = await open('/a?x=1&utm_source=nl&fbclid=z#top', {}, BY_HAND);
    await settle(page);

    expect(hits.stored).toMatchObject([
      {
        websiteId: ID,
        host: 'site.test',
        page: '/a?x=1',
        source: 'nl',
        channel: 'Campaign',
        language: 'de',
        name: null,
      },
    ]);
  });

  test('count a single-page application and its events', async () => {
    const { hits, snippet } = await startCollector();
    pages = () => `${snippet}<a href="http://other.test/x">out</a><script>onclick=(e)=>e.preventDefault()</script>`;
    const page = await open('/a', {}, BY_HAND);

    await page.evaluate(() => history.pushState(null, '', '/b'));
    await page.evaluate('hitherto("Signup", { plan: "pro", seats: 2 })');
    await page.click('a');
    await settle(page);

    const counted = hits.stored.map(({ page: path, referrer, name, props }) => [path, referrer, name, props]);
    expect(counted).toEqual([
      ['/a', null, null, null],
      ['/b', null, null, null],
      ['/b', null, 'Signup', { plan: 'pro', seats: 2 }],
      ['/b', null, 'Outbound link', { url: 'other.test/x' }],
    ]);
  });

  test('drop the hits of an automated browser', async () => {
    const { hits, snippet } = await startCollector();
    pages = () => snippet;

    const page = await open('/');
    await settle(page);

    expect(hits.stored).toEqual([]);
    await expect.poll(() => hits.dropped).toMatchObject([{ websiteId: ID, reason: 'bot', hits: 1 }]);
  });

  test('work under a path of the site itself', async () => {
    const { hits } = await startCollector();
    pages = () => `<script defer src="/stats/script.js" data-website="${ID}"></script>`;

    const page = await open('/a', {}, BY_HAND);
    await settle(page);

    expect(hits.stored).toMatchObject([{ page: '/a' }]);
  });

  test('lose no hit while the database is briefly away', async () => {
    const { hits, snippet } = await startCollector();
    pages = () => snippet;
    hits.away = true;
    const page = await open('/a', {}, BY_HAND);

    hits.away = false;

    await expect.poll(() => hits.stored, { timeout: 20_000 }).toMatchObject([{ page: '/a' }]);
    await settle(page);
    expect(hits.stored).toHaveLength(1);
  });
});

describe('an address that is the same page after cleaning', () => {
  test.each([
    ['labels and click ids', '/land?utm_source=nl&fbclid=a&x=1', 'replaceState', '/land?x=1', '/land?x=1'],
    ['an excluded parameter', '/a?view=1', 'pushState', '/a?view=2', '/a'],
  ] as const)('is not counted again: %s', async (_, path, method, next, counted) => {
    const { hits, snippet } = await startCollector(['view']);
    pages = () => snippet;
    const page = await open(path, {}, BY_HAND);
    await settle(page);

    await page.evaluate(`history.${method}(null, '', '${next}')`);
    await settle(page);

    expect(hits.stored.map(({ page: stored }) => stored)).toEqual([counted]);
    await expect.poll(() => hits.dropped).toMatchObject([{ reason: 'same_page', hits: 1 }]);
  });

  test('is counted after another page, when it is loaded again, and with other parameters', async () => {
    const { hits, snippet } = await startCollector();
    pages = () => snippet;
    const page = await open('/a?utm_source=nl', {}, BY_HAND);
    await settle(page);

    await page.evaluate("history.replaceState(null, '', '/a')");
    await page.evaluate("history.pushState(null, '', '/b')");
    await page.evaluate("history.pushState(null, '', '/a')");
    await settle(page);
    await page.reload();
    await settle(page);
    await page.evaluate("history.pushState(null, '', '/a?code=1')");
    await page.evaluate("history.pushState(null, '', '/a?code=2')");
    await settle(page);

    const counted = hits.stored.map(({ page: path, source }) => [path, source]);
    expect(counted).toEqual([
      ['/a', 'nl'],
      ['/b', null],
      ['/a', null],
      ['/a', null],
      ['/a?code=1', null],
      ['/a?code=2', null],
    ]);
  });
});

test('a page without JavaScript is counted once, by the pixel', async () => {
  const { hits, snippet, url } = await startCollector();
  const address = encodeURIComponent(site.url('site.test', '/a?x=1'));
  pages = () => `${snippet}<noscript><img src="${url}/hits.gif?website=${ID}&url=${address}" alt=""></noscript>`;

  const page = await open('/a?x=1', { javaScriptEnabled: false });
  await settle(page);

  expect(hits.stored).toMatchObject([{ page: '/a?x=1', language: 'de' }]);
});

test('a page with JavaScript is not counted by the pixel too', async () => {
  const { hits, snippet, url } = await startCollector();
  pages = () => `${snippet}<noscript><img src="${url}/hits.gif?website=${ID}" alt=""></noscript>`;

  const page = await open('/a', {}, BY_HAND);
  await settle(page);

  expect(hits.stored).toHaveLength(1);
});

test('the npm package plausible-tracker counts pages and events', async () => {
  const { hits, url } = await startCollector();
  const { outputFiles } = await build({
    stdin: {
      contents: `import Plausible from 'plausible-tracker';
        const { trackPageview, trackEvent } = Plausible({ domain: ${JSON.stringify(ID)}, apiHost: ${JSON.stringify(url)} });
        trackPageview();
        trackEvent('Signup', { props: { plan: 'pro' } });`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    write: false,
  });
  pages = () => `<script>${outputFiles[0]?.text}</script>`;

  const page = await open('/a?x=1', {}, BY_HAND);
  await settle(page);

  const counted = hits.stored.map(({ page: path, name, props }) => [path, name, props]);
  expect(counted.sort()).toEqual([
    ['/a?x=1', null, null],
    ['/a?x=1', 'Signup', { plan: 'pro' }],
  ]);
});
