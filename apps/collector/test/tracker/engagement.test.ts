import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readMeasuring } from '../../src/tracker/read-tracker.ts';
import { type SentHit, startWorld, type World } from './world.ts';

// How pageviews are looked at, in a real browser.

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(async () => {
  world.hits();
});
afterAll(() => world.close());

const MEASURED = {
  status: 202,
  headers: { 'hitherto-measure': '1', 'access-control-expose-headers': 'Hitherto-Measure, Retry-After' },
};
const TALL = '<div style="height: 4000px">é</div>';

/** Lets the page believe that it is hidden, or shown, or that its window has lost the focus. */
async function turn(page: Page, state: 'hidden' | 'visible' | 'unfocused' | 'focused'): Promise<void> {
  await page.evaluate((next) => {
    const isOfFocus = next.endsWith('focused');
    const [name, value] = isOfFocus ? ['hasFocus', () => next === 'focused'] : ['hidden', next === 'hidden'];
    Object.defineProperty(document, name as string, { configurable: true, value });
    dispatchEvent(new Event(isOfFocus ? (next === 'focused' ? 'focus' : 'blur') : 'visibilitychange'));
  }, state);
  await world.settle(page);
}

/** Opens a page that is measured. */
async function openMeasured(body = TALL): Promise<Page> {
  world.respondNext(MEASURED);
  const page = await world.open({ body });
  onTestFinished(() => page.close());
  return page;
}

const isMeasure = (sent: SentHit) => 'seconds' in sent;
const measures = () => world.hits().filter(isMeasure);

describe('a pageview that the server wants to be measured', () => {
  test('tells nothing before it is hidden, and nothing at all where the server does not ask', async () => {
    const page = await openMeasured();
    const other = await world.open({ body: TALL });
    await turn(other, 'hidden');
    await other.close();

    expect(measures()).toEqual([]);
    await page.waitForTimeout(1_200);
    await turn(page, 'hidden');

    const [sent, ...more] = measures();
    expect(more).toEqual([]);
    expect(sent).toEqual({
      website: 'w1',
      view: expect.any(Number),
      seconds: expect.any(Number),
      scroll: expect.any(Number),
      age: expect.any(Number),
    });
    const age = Number(sent?.age) / 1_000;
    expect(age).toBeGreaterThan(1.1);
    expect(Math.abs(Number(sent?.seconds) - age)).toBeLessThanOrEqual(1);
  });

  test('has the view of its hit', async () => {
    const page = await openMeasured();
    const [hit] = world.hits();

    await turn(page, 'hidden');

    expect(measures()).toMatchObject([{ view: hit?.view }]);
  });

  test('tells how far down it was seen, and 100 percent without a scroll bar', async () => {
    const page = await openMeasured();
    const short = await openMeasured('<p>é</p>');
    const bottom = () => page.evaluate(() => (100 * (scrollY + innerHeight)) / document.documentElement.scrollHeight);

    await turn(short, 'hidden');
    expect(measures()).toMatchObject([{ scroll: 100 }]);
    await page.evaluate(() => scrollTo(0, 1_500));
    await page.waitForTimeout(100);
    const lowest = await bottom();
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForTimeout(100);
    await turn(page, 'hidden');

    expect(measures()).toMatchObject([{ scroll: Math.round(lowest) }]);
  });
});

/** A page whose time is the test's. */
async function openOnClock(): Promise<{ page: Page; pass(ms: number): Promise<void> }> {
  world.respondNext(MEASURED);
  const page = await world.open({
    body: TALL,
    before: () => {
      const start = Date.now();
      let now = 0;
      performance.now = () => now;
      Date.now = () => start + now;
      Object.assign(window, { pass: (ms: number) => (now += ms) });
    },
  });
  onTestFinished(() => page.close());
  await page.waitForTimeout(200);
  world.hits();
  return { page, pass: (ms) => page.evaluate(`pass(${ms})`) };
}

describe('on a clock of its own', () => {
  test('only the time counts in which it is visible and has the focus', async () => {
    const { page, pass } = await openOnClock();

    await pass(20_000);
    await turn(page, 'hidden');
    await pass(60_000);
    await turn(page, 'visible');
    await pass(10_000);
    await turn(page, 'unfocused');
    await pass(60_000);
    await turn(page, 'focused');
    await pass(7_000);
    await turn(page, 'hidden');

    expect(measures()).toMatchObject([
      { seconds: 20, age: 20_000 },
      { seconds: 37, age: 157_000 },
    ]);
  });

  test('30 minutes are the most, also of a page that nobody touches', async () => {
    const { page, pass } = await openOnClock();

    await pass(30 * 60_000);
    await turn(page, 'hidden');
    await turn(page, 'visible');
    await pass(60 * 60_000);
    await turn(page, 'hidden');

    expect(measures()).toMatchObject([{ seconds: 1_800 }]);
  });

  test('it tells more only if 5 seconds or 5 percent came to it', async () => {
    const { page, pass } = await openOnClock();
    const look = async (ms: number) => {
      await turn(page, 'visible');
      await pass(ms);
      await turn(page, 'hidden');
    };

    await look(10_000);
    await look(4_000);
    await look(1_000);
    await turn(page, 'visible');
    await page.evaluate(() => scrollTo(0, 2_000));
    await page.waitForTimeout(100);
    await turn(page, 'hidden');

    expect(measures().map(({ seconds }) => seconds)).toEqual([10, 15, 15]);
  });

  test('the next page of a router has a view and a time of its own', async () => {
    const { page, pass } = await openOnClock();

    await pass(12_000);
    world.respondNext(MEASURED);
    await page.evaluate(() => history.pushState(null, '', '/next'));
    await world.settle(page);
    const [hit, first] = world.hits();
    await pass(9_000);
    await turn(page, 'hidden');

    expect(first).toMatchObject({ seconds: 12 });
    expect(measures()).toMatchObject([{ view: hit?.view, seconds: 9, age: 9_000 }]);
    expect(hit?.view).not.toBe(first?.view);
  });

  test('an address that the server does not count as another page goes on with the same view', async () => {
    const { page, pass } = await openOnClock();

    await pass(12_000);
    await page.evaluate(() => history.replaceState(null, '', '/?same'));
    await world.settle(page);
    await pass(9_000);
    await turn(page, 'hidden');

    expect(measures()).toMatchObject([{ seconds: 21 }]);
  });
});

test('a page that is left tells it, and going back shows a view of its own', async () => {
  const page = await openMeasured();
  await page.waitForTimeout(1_100);
  await page.goto(world.site.url('other.test', '/quiet'));
  await page.waitForTimeout(200);
  const left = measures();
  expect([1, 2]).toContain(left[0]?.seconds);

  world.respondNext(MEASURED);
  await page.goBack();
  await page.waitForTimeout(300);
  const hits = world.hits();
  await page.waitForTimeout(1_900);
  await turn(page, 'hidden');

  const [again] = measures();
  expect(again?.view).not.toBe(left[0]?.view);
  expect(hits.map(({ view }) => view)).toContain(again?.view);
  expect([2, 3]).toContain(again?.seconds);
});

// A headless Chromium has no back-forward cache (`BackForwardCacheDisabledForDelegate`), so its events are dispatched.
test('a page that the back-forward cache restores is one pageview, with a view and a time of its own', async () => {
  const { page, pass } = await openOnClock();
  const show = (type: string) =>
    page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);

  await pass(12_000);
  await show('pagehide');
  await world.settle(page);
  const [left] = measures();
  await turn(page, 'hidden');
  await pass(600_000);
  world.respondNext(MEASURED);
  await turn(page, 'visible');
  await show('pageshow');
  await world.settle(page);
  const [hit, ...more] = world.hits().filter((sent) => !isMeasure(sent));
  await pass(7_000);
  await turn(page, 'hidden');

  expect(left).toMatchObject({ seconds: 12 });
  expect(measures()).toMatchObject([{ view: hit?.view, seconds: 7, age: 7_000 }]);
  expect(hit?.view).not.toBe(left?.view);
  expect(more).toEqual([]);
});

test('the code that measures is less than a kilobyte', () => {
  expect(readMeasuring().length).toBeLessThan(2_000);
});
