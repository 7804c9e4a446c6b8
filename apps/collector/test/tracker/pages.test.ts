import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** Makes a page believe that it is in a background tab until `show` runs in it. */
function hide(): void {
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
}
function show(): void {
  Object.defineProperty(document, 'hidden', { value: false, configurable: true });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
}

const urls = () => world.hits().map(({ url }) => url);
const at = (path: string) => world.site.url('site.test', path);

describe('a page', () => {
  test('that is visible is counted once, with its address and referrer', async () => {
    const page = await world.open({ path: '/a?x=1#top', referer: 'http://other.test/from' });

    expect(world.hits()).toEqual([
      {
        website: 'w1',
        url: at('/a?x=1'),
        referrer: 'http://other.test/from',
        automated: true,
        view: expect.any(Number),
      },
    ]);
    await page.close();
  });

  test('has no referrer if the browser has none', async () => {
    const page = await world.open();

    expect(world.hits()).toMatchObject([{ referrer: '' }]);
    await page.close();
  });

  test('is not automated unless the browser says so', async () => {
    const page = await world.open({
      before: () => Object.defineProperty(navigator, 'webdriver', { value: false }),
    });

    expect(world.hits()[0]).not.toHaveProperty('automated');
    await page.close();
  });

  test('in a background tab is counted when it is shown, and only once', async () => {
    const page = await world.open({ before: hide });
    expect(urls()).toEqual([]);

    await page.evaluate(show);
    await page.evaluate(show);
    await world.settle(page);

    expect(urls()).toEqual([at('/')]);
    await page.close();
  });

  test('that is prerendered is counted when it is shown', async () => {
    const page = await world.open({
      before: () => {
        for (const name of ['hidden', 'prerendering']) {
          Object.defineProperty(document, name, { value: true, configurable: true });
        }
      },
    });
    expect(urls()).toEqual([]);

    await page.evaluate(() => {
      for (const name of ['hidden', 'prerendering']) {
        Object.defineProperty(document, name, { value: false, configurable: true });
      }
      document.dispatchEvent(new Event('prerenderingchange'));
    });
    await world.settle(page);

    expect(urls()).toEqual([at('/')]);
    await page.close();
  });

  test('that the back-forward cache restores is counted again', async () => {
    const page = await world.open({ path: '/a' });
    world.hits();

    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await world.settle(page);

    expect(urls()).toEqual([at('/a')]);
    await page.close();
  });

  test('with too long an address is counted with the address cut', async () => {
    const page = await world.open({ path: `/a?x=${'y'.repeat(5_000)}` });

    expect(urls().map((url) => String(url).length)).toEqual([4_096]);
    await page.close();
  });
});

describe('a single-page application', () => {
  test('counts a page when path or query changes, with the last page as referrer', async () => {
    const page = await world.open({ path: '/a', referer: 'http://other.test/' });

    await page.evaluate(() => history.pushState(null, '', '/b'));
    await page.evaluate(() => history.pushState(null, '', '/b?page=2'));
    await page.evaluate(() => history.replaceState(null, '', '/c'));
    await world.settle(page);

    expect(world.hits().map(({ url, referrer }) => [url, referrer])).toEqual([
      [at('/a'), 'http://other.test/'],
      [at('/b'), at('/a')],
      [at('/b?page=2'), at('/b')],
      [at('/c'), at('/b?page=2')],
    ]);
    await page.close();
  });

  test('counts a page when the reader goes back', async () => {
    const page = await world.open({ path: '/a' });
    await page.evaluate(() => history.pushState(null, '', '/b'));
    await world.settle(page);
    world.hits();

    await page.evaluate(() => history.back());
    await page.waitForURL(at('/a'));
    await world.settle(page);

    expect(urls()).toEqual([at('/a')]);
    await page.close();
  });

  test('says of each page but the first that it came without loading', async () => {
    const page = await world.open({ path: '/a' });

    await page.evaluate(() => history.pushState(null, '', '/b'));
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await world.settle(page);

    expect(world.hits().map(({ url, same_document: isSame }) => [url, isSame])).toEqual([
      [at('/a'), undefined],
      [at('/b'), true],
      [at('/b'), undefined],
    ]);
    await page.close();
  });

  test('with a router on the Navigation API counts its pages once each, and Back once', async () => {
    const body = `<a href="/b">b</a><script>
      navigation.addEventListener('navigate', (event) => event.intercept({ async handler() {} }))</script>`;
    const page = await world.open({ path: '/a', body });

    await page.click('a');
    await page.evaluate("navigation.navigate('/c').finished.then(() => {})");
    await world.settle(page);
    const forth = urls();
    await page.evaluate('navigation.back().finished.then(() => {})');
    await world.settle(page);

    expect([forth, urls()]).toEqual([[at('/a'), at('/b'), at('/c')], [at('/b')]]);
    await page.close();
  });

  test('counts pages where the page has frozen the history', async () => {
    const page = await world.open({ path: '/a', head: '<script>Object.freeze(History.prototype)</script>' });

    await page.evaluate(() => history.pushState(null, '', '/b'));
    await world.settle(page);

    expect(urls()).toEqual([at('/a'), at('/b')]);
    await page.close();
  });

  test('does not count changes of state or anchor', async () => {
    const page = await world.open({ path: '/a', body: '<a href="#part">part</a>' });
    world.hits();

    await page.evaluate(() => history.replaceState({ scroll: 1 }, ''));
    await page.evaluate(() => history.pushState({ open: true }, '', '/a'));
    await page.evaluate(() => history.pushState(null, '', '#/b'));
    await page.click('a');
    await world.settle(page);

    expect(urls()).toEqual([]);
    await page.close();
  });

  test('in a background tab counts the page it has when it is shown', async () => {
    const page = await world.open({ path: '/a', before: hide });

    await page.evaluate(() => history.pushState(null, '', '/b'));
    await page.evaluate(show);
    await world.settle(page);

    expect(urls()).toEqual([at('/b')]);
    await page.close();
  });

  test('still navigates with pushState and replaceState', async () => {
    const page = await world.open({ path: '/a' });

    const state = await page.evaluate(() => {
      history.pushState({ n: 1 }, '', '/b');
      history.replaceState({ n: 2 }, '', '/b');
      return { path: location.pathname, state: history.state, length: history.length };
    });

    expect(state).toMatchObject({ path: '/b', state: { n: 2 } });
    await world.settle(page);
    world.hits();
    await page.close();
  });
});

describe('data-hash', () => {
  test('makes a fragment that begins with #/ or #!/ part of the page', async () => {
    const page = await world.open({ path: '/#/a', attributes: 'data-hash', body: '<a href="#/b">b</a>' });

    await page.click('a');
    await page.evaluate(() => {
      location.hash = '!/c';
    });
    await world.settle(page);

    expect(urls()).toEqual([at('/#/a'), at('/#/b'), at('/#!/c')]);
    await page.close();
  });

  test('ignores anchors', async () => {
    const page = await world.open({ path: '/a#top', attributes: 'data-hash', body: '<a href="#part">part</a>' });

    await page.click('a');
    await world.settle(page);

    expect(urls()).toEqual([at('/a')]);
    await page.close();
  });
});
