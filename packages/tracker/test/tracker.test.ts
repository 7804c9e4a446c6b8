import { readFileSync } from 'node:fs';
import { startBrowser } from '@hitherto/testing/browser';
import { startTestSite, type TestSite } from '@hitherto/testing/test-site';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

// The built package, as a browser loads it.

type Browser = Awaited<ReturnType<typeof startBrowser>>;
type Page = Awaited<ReturnType<Browser['newPage']>>;

const built = (name: string) => readFileSync(new URL(`../dist${name}`, import.meta.url), 'utf8');
const HTML = `<script type="module">import * as tracker from '/index.js'; window.tracker = tracker;</script>`;

/** Whether the website measures engagement. */
let isMeasured = false;
let site: TestSite;
let browser: Browser;

beforeAll(async () => {
  site = await startTestSite(({ method, path, body }) => {
    if (method === 'POST') {
      const measured = { 'hitherto-measure': '1', 'access-control-expose-headers': 'Hitherto-Measure' };
      return {
        status: 202,
        headers: { 'access-control-allow-origin': '*', ...(isMeasured && 'view' in JSON.parse(body) ? measured : {}) },
      };
    }
    if (path.endsWith('.js')) return { headers: { 'content-type': 'text/javascript' }, body: built(path) };
    return { body: HTML };
  });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

/** A page that has loaded the module, and the hits that it has sent. */
async function openPage() {
  const page = await browser.newPage();
  onTestFinished(() => page.close());
  const from = site.requests.length;
  await page.goto(site.url('site.test', '/first'));
  await page.waitForFunction('window.tracker');
  const run = (call: string) => page.evaluate(`tracker.${call}`);
  return { page, run, hits: () => hitsSince(page, from) };
}

async function hitsSince(page: Page, from: number): Promise<Record<string, unknown>[]> {
  await page.waitForTimeout(200);
  return site.requests
    .slice(from)
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body));
}

const init = (more = '') =>
  `init({ website: 'w1', endpoint: ${JSON.stringify(site.url('stats.test', '/hits'))}${more} })`;

test('init counts the page, and each one that a router shows', async () => {
  const { page, run, hits } = await openPage();

  await run(init());
  await run(init());
  await page.evaluate(`history.pushState(null, '', '/second')`);

  expect(await hits()).toEqual([
    expect.objectContaining({ website: 'w1', url: site.url('site.test', '/first') }),
    expect.objectContaining({ url: site.url('site.test', '/second'), referrer: site.url('site.test', '/first') }),
  ]);
});

test('measures a page where the server asks for it', async () => {
  isMeasured = true;
  onTestFinished(() => {
    isMeasured = false;
  });
  const { page, run, hits } = await openPage();

  await run(init());
  await page.waitForTimeout(1_200);
  await page.evaluate(`history.pushState(null, '', '/second')`);
  await run(`trackEvent('Signup')`);

  const [first, second] = await hits().then((all) =>
    all.filter(({ view, seconds }) => view !== undefined && seconds === undefined),
  );
  const [measure, ...more] = (await hits()).filter(({ seconds }) => seconds !== undefined);
  expect(more).toEqual([]);
  expect(measure).toEqual({ website: 'w1', view: first?.view, seconds: 1, scroll: 100, age: expect.any(Number) });
  expect(second?.view).not.toBe(first?.view);
});

test('events from before are sent too, with their properties', async () => {
  const { run, hits } = await openPage();

  await run(`trackEvent('Early')`);
  await run(init());
  await run(`trackEvent('Signup', { plan: 'pro' })`);

  // Each is a request of its own, and they can overtake each other.
  const sent = await hits();
  expect(sent).toHaveLength(3);
  expect(sent).toEqual(
    expect.arrayContaining([
      expect.not.objectContaining({ name: expect.anything() }),
      expect.objectContaining({ name: 'Early' }),
      expect.objectContaining({ name: 'Signup', props: { plan: 'pro' } }),
    ]),
  );
});

test('trackPageview counts a page only once', async () => {
  const { page, run, hits } = await openPage();
  await run(init(', hash: true'));

  await run('trackPageview()');
  await page.evaluate(`location.hash = '#/third'`);
  await run('trackPageview()');

  expect((await hits()).map(({ url }) => url)).toEqual([
    site.url('site.test', '/first'),
    site.url('site.test', '/first#/third'),
  ]);
});

test('with nostorage, it does not read what is stored', async () => {
  const { page, run, hits } = await openPage();
  await page.evaluate(`localStorage.setItem('hitherto-ignore', '1')`);

  await run(init(', nostorage: true'));

  expect(await hits()).toHaveLength(1);
});

test('on a server, it does nothing', async () => {
  const { init: start, trackEvent, trackPageview } = await import(new URL('../dist/index.js', import.meta.url).href);

  expect(() => {
    start({ website: 'w1', endpoint: 'https://stats.example/hits' });
    trackEvent('Signup');
    trackPageview();
  }).not.toThrow();
});
