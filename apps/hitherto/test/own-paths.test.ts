import { startBrowser } from '@hitherto/testing/browser';
import { startTestSite } from '@hitherto/testing/test-site';
import { expect, onTestFinished, test } from 'vitest';
import { call, dataFolder, firstKeyOf, startService } from './support/program.ts';

/** The user agent of the real browser says that it is headless. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const PATHS = { SCRIPT_PATHS: '/assets/site.js', HIT_PATHS: '/note/it,/n' };

test('behind a blocker of the usual names, the snippet with paths of one’s own counts a page and an event', {
  timeout: 60_000,
}, async () => {
  const service = await startService({ DATA_DIR: await dataFolder(), ...PATHS });
  const key = firstKeyOf(service);
  const body = new URLSearchParams({ url: 'http://site.test' });
  const created = await call(service, key, '/api/v1/websites', { method: 'POST', body });
  const { data }: { data: { id: string } } = await created.json();
  let snippet = '';
  const site = await startTestSite(() => ({ body: `<!doctype html><title>é</title>${snippet}<button>y</button>` }));
  onTestFinished(site.close);
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ userAgent });
  const asked: string[] = [];
  await context.route(/\/(script\.js|hits)($|\?)/, (route) => route.abort());
  context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const page = await context.newPage();
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  const stats = `http://stats.test:${new URL(service.url).port}`;

  await page.goto(stats);
  await page.fill('input[name="key"]', key);
  await page.press('input[name="key"]', 'Enter');
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  await page.goto(`${stats}/websites/${data.id}/snippet`);
  snippet = (await page.textContent('#snippet')) ?? '';
  asked.length = 0;
  await page.goto(site.url('site.test', '/a'));
  await page.evaluate("hitherto('Signup', { plan: 'pro' })");

  expect(snippet).toContain(`src="${stats}/assets/site.js"`);
  const numbers = async () => {
    const response = await call(service, key, `/api/v1/websites/${data.id}/statistics`);
    const { data: totals }: { data: { pageviews: number; events: number } } = await response.json();
    return [totals.pageviews, totals.events];
  };
  await expect.poll(numbers, { timeout: 10_000 }).toEqual([1, 1]);
  expect(asked.filter((path) => path !== '/a' && path !== '/favicon.ico')).toEqual([
    '/assets/site.js',
    '/note/it',
    '/note/it',
  ]);
});
