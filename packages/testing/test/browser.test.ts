import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from '../src/browser.ts';
import { startTestSite, type TestSite } from '../src/test-site.ts';

describe('the browser of the tests', () => {
  let browser: Browser;
  let site: TestSite;
  beforeAll(async () => {
    site = await startTestSite(({ host, path }) =>
      path === '/' ? { body: `<h1>${host}</h1><script>document.title = 'run'</script>` } : undefined,
    );
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
  });

  test('opens pages of any host below .test, with scripts', async () => {
    const page = await browser.newPage();

    await page.goto(site.url('shop.test', '/'));

    expect(await page.textContent('h1')).toBe('shop.test');
    expect(await page.title()).toBe('run');
    await page.close();
  });

  test('has a font', async () => {
    const page = await browser.newPage();
    await page.goto(site.url('shop.test', '/'));

    const box = await page.locator('h1').boundingBox();

    expect(box?.height).toBeGreaterThan(10);
    await page.close();
  });

  test('keeps one site from reading another', async () => {
    const page = await browser.newPage();
    await page.goto(site.url('shop.test', '/'));

    const read = page.evaluate((url) => fetch(url).then((response) => response.text()), site.url('other.test', '/'));

    await expect(read).rejects.toThrow(/Failed to fetch/);
    await page.close();
  });

  test('sends its requests to the sites', async () => {
    const page = await browser.newPage();

    const response = await page.goto(site.url('shop.test', '/none?x=1'));

    expect(response?.status()).toBe(404);
    expect(site.requests.at(-1)).toMatchObject({ method: 'GET', host: 'shop.test', path: '/none?x=1', body: '' });
    await page.close();
  });
});

test('a missing browser at CHROMIUM_PATH is reported', async () => {
  process.env.CHROMIUM_PATH = '/nowhere/chromium';

  try {
    await expect(startBrowser()).rejects.toThrow('CHROMIUM_PATH names /nowhere/chromium, which does not exist.');
  } finally {
    delete process.env.CHROMIUM_PATH;
  }
});
