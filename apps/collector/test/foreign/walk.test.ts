import { startBrowser } from '@hitherto/testing/browser';
import { aWebsite } from '@hitherto/testing/fixtures';
import { startTestSite, type TestSite } from '@hitherto/testing/test-site';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ID, serveCollector } from '../support/collector.ts';
import { ALIASES, libraryFiles, STEPS, type Step, TRACKERS, type WalkedTracker } from './walk.ts';

let browser: Browser;
let site: TestSite;
let libraries: ReadonlyMap<string, string>;
let head = '';
let button = '';
beforeAll(async () => {
  libraries = await libraryFiles();
  browser = await startBrowser();
  site = await startTestSite(({ path }) => {
    const [, file = ''] = /^\/lib\/(.*)$/.exec(path) ?? [];
    const library = libraries.get(file);
    if (library !== undefined) return { headers: { 'content-type': 'text/javascript' }, body: library };
    const links = `<a id="out" href="https://other.example/x?q=1">x</a><a id="file" href="/f.pdf">f</a><a id="to" href="/d">d</a>`;
    return { body: `<!doctype html><title>é</title>${head}<body>${links}<button id="click" ${button}>y</button>` };
  });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Longer than any tracker waits before it counts a page; Umami's waits 300 ms. */
const QUIET_MS = 500;
const PATIENCE = { timeout: 10_000, interval: 20 };

/** Walks the twelve steps, and resolves to the pages and events that were counted, in order of their arrival. */
async function walk(tracker: WalkedTracker) {
  const website = aWebsite({ url: 'http://site.test', aliases: ALIASES, excludedIps: [], excludedParams: [] });
  const { app, hits } = await serveCollector({ websites: [website] });
  const stats = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'stats.test');
  head = tracker.head(stats).replace('data-website="ID"', `data-website="${ID}"`);
  button = tracker.button ?? '';
  const context = await browser.newContext({ locale: 'de-CH' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: unknown[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  // Links lead nowhere, so that the page stays.
  await page.addInitScript(
    "addEventListener('click', (e) => e.target.id !== 'to' && e.target.closest('a') && e.preventDefault())",
  );
  let counted = 0;
  /** Waits for the hits of steps, or where there are none, for long enough that one would have been sent. */
  const settle = async (...steps: readonly Step[]) => {
    const hitSteps = steps.filter((step) => !tracker.cannot.includes(step));
    counted += hitSteps.length;
    if (hitSteps.length === 0) await page.waitForTimeout(QUIET_MS);
    else await expect.poll(() => hits.stored.length, PATIENCE).toBeGreaterThanOrEqual(counted);
  };
  const navigated = async (step: Step) => {
    if (tracker.afterNavigation !== undefined) await page.evaluate(tracker.afterNavigation);
    await settle(step);
  };

  await page.goto(site.url('site.test', '/a?utm_medium=email'), { referer: 'https://www.google.de/' });
  await settle('entry');
  await page.evaluate("history.pushState(null, '', '/b')");
  await navigated('push');
  await page.evaluate("history.replaceState({ a: 1 }, '', '/b')");
  await settle();
  await page.evaluate(tracker.signUp);
  await settle('event');
  await page.evaluate("history.pushState(null, '', '/c?x=1')");
  await navigated('query');
  await page.goBack();
  await navigated('back');
  await page.click('#out');
  await page.click('#file');
  await page.click('#click');
  await settle('outbound', 'download', 'click');
  await page.evaluate("location.hash = '#part'");
  await settle();
  await page.click('#to');
  await settle('load');
  await page.goto(site.url('site.test', '/%C3%A9?utm_source=nl%20%C3%A9'));
  await settle('campaign');
  await settle();
  return { hits, errors };
}

/** Without the way back, later events belong to the page before it. */
const expectedOf = ({ cannot }: WalkedTracker): string[] =>
  (Object.keys(STEPS) as Step[])
    .filter((step) => !cannot.includes(step))
    .map((step) => (step === 'click' && cannot.includes('back') ? STEPS[step].replace('/b', '/c?x=1') : STEPS[step]));

describe('a walk of twelve steps counts the same', () => {
  test.each(TRACKERS.map((tracker) => [tracker.name, tracker] as const))('with %s', async (name, tracker) => {
    const { hits, errors } = await walk(tracker);

    const isPageless = name.startsWith('GoatCounter');
    // Events of GoatCounter have no page.
    const seen = () =>
      hits.stored.map(({ page, name: event }) => (event === null ? page : `${isPageless ? '/b' : page} ${event}`));
    expect(seen().toSorted()).toEqual(expectedOf(tracker).toSorted());
    const { stored } = hits;
    expect(new Set(stored.map(({ visitor }) => visitor)).size).toBe(1);
    const [first] = stored;
    expect(first).toMatchObject({ page: '/a', referrer: 'google.de', utmMedium: 'email', language: 'de' });
    expect(stored.find(({ page }) => page === STEPS.campaign)).toMatchObject({ utmSource: 'nl é' });
    expect(errors).toEqual([]);
  });
});

test.each([
  [
    'Umami',
    (stats: string) => `<script defer src="${stats}/script.js" data-website-id="${ALIASES[0]}"></script>`,
    'umami.disabled',
  ],
  [
    'Plausible',
    (stats: string) => `<script defer src="${stats}/js/script.js" data-domain="site.test"></script>`,
    'plausible_ignore',
  ],
])('our script in the place of that of %s leaves out who has turned that off', async (_, snippet, name) => {
  const { app, hits } = await serveCollector({ websites: [aWebsite({ url: 'http://site.test', aliases: ALIASES })] });
  const stats = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'stats.test');
  head = snippet(stats);
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  await page.addInitScript(`localStorage.setItem('${name}', 'true')`);
  await page.goto(site.url('site.test', '/a'));
  await page.waitForTimeout(QUIET_MS);
  await page.evaluate(`localStorage.removeItem('${name}'); history.pushState(null, '', '/b')`);

  await expect.poll(() => hits.stored.map(({ page: path }) => path)).toEqual(['/b']);
});

test('Plausible’s own package tells how its pages are looked at', async () => {
  const website = aWebsite({ url: 'http://site.test', aliases: ALIASES, engagement: true });
  const { app, hits } = await serveCollector({ websites: [website] });
  const stats = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'stats.test');
  head = TRACKERS.find(({ name }) => name === 'Plausible, its own package')?.head(stats) ?? '';
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  await page.clock.install();
  const seen = () => hits.stored.map(({ page: path, measure }) => (measure === undefined ? path : [path, measure]));
  await page.goto(site.url('site.test', '/a'));
  await expect.poll(seen, PATIENCE).toHaveLength(1);
  await page.clock.fastForward(7_000);
  await page.evaluate("history.pushState(null, '', '/b?utm_source=x')");
  await expect.poll(seen, PATIENCE).toHaveLength(3);
  await page.clock.fastForward(4_000);
  await page.evaluate("dispatchEvent(new Event('blur')); history.pushState(null, '', '/c')");
  await expect.poll(seen, PATIENCE).toContain('/c');

  const seconds = (path: string) =>
    hits.stored.flatMap(({ page: of, measure }) => (of === path && measure ? measure.seconds : []));
  expect(hits.stored.every(({ measure }) => measure === undefined || measure.scroll === 100)).toBe(true);
  for (const [path, least] of [
    ['/a', 7],
    ['/b', 4],
  ] as const) {
    const sum = seconds(path).reduce((one, other) => one + other, 0);
    expect([path, sum >= least && sum <= least + 2]).toEqual([path, true]);
  }
});

test('a browser that a program drives is dropped as a bot by each of our scripts', async () => {
  const snippets = TRACKERS.filter(({ name }) => /our script|snippet/.test(name));
  for (const { head: snippet } of snippets) {
    const { app, hits } = await serveCollector({ websites: [aWebsite({ url: 'http://site.test', aliases: ALIASES })] });
    const stats = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'stats.test');
    head = snippet(stats);
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(site.url('site.test', '/a'));

    await expect.poll(() => hits.dropped.map(({ reason }) => reason)).toEqual(['bot']);
    expect(hits.stored).toEqual([]);
  }
});
