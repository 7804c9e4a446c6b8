import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTracker } from '../../src/tracker/read-tracker.ts';
import { startWorld, type World } from './world.ts';

test('the tracker has at most 1,400 bytes gzipped', () => {
  expect(gzipSync(readTracker(), { level: 9 }).length).toBeLessThanOrEqual(1_400);
});

describe('the tracker', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.close());

  const posts = () =>
    world.site.requests.filter(({ method }) => method === 'POST').map(({ host, path }) => `${host}${path}`);

  test('sends text without credentials and without a preflight', async () => {
    world.respondNext({ status: 202, headers: { 'set-cookie': 'id=1' } });
    const page = await world.open();
    await page.evaluate('hitherto("Signup")');
    await world.settle(page);

    const sent = world.site.requests.filter(({ method }) => method === 'POST');
    expect(sent).toHaveLength(2);
    for (const { headers } of sent) {
      expect(headers['content-type']).toBe('text/plain;charset=UTF-8');
      expect(headers.cookie).toBeUndefined();
    }
    expect(world.site.requests.filter(({ method }) => method === 'OPTIONS')).toEqual([]);
    await page.close();
  });

  test('sends with keepalive, so that leaving the page does not cancel it', async () => {
    const page = await world.open({
      before: () => {
        const send = window.fetch;
        window.fetch = (url, init) => {
          if (init?.method === 'POST') document.documentElement.dataset.keepalive = String(init.keepalive);
          return send(url, init);
        };
      },
    });

    expect(await page.locator('html').getAttribute('data-keepalive')).toBe('true');
    await page.close();
  });

  test('stores nothing in the browser', async () => {
    const page = await world.open();

    const stored = await page.evaluate(async () => ({
      cookies: document.cookie,
      local: localStorage.length,
      session: sessionStorage.length,
      databases: (await indexedDB.databases()).length,
    }));

    expect(stored).toEqual({ cookies: '', local: 0, session: 0, databases: 0 });
    expect(await world.context.cookies()).toEqual([]);
    await page.close();
  });

  test('posts to hits beside itself, under any path', async () => {
    const page = await world.open({ script: '/a/proxy/script.js' });

    expect(posts().at(-1)).toBe('site.test/a/proxy/hits');
    await page.close();
  });

  test('posts to data-endpoint', async () => {
    const page = await world.open({ attributes: `data-endpoint="${world.site.url('proxy.test', '/collect')}"` });

    expect(posts().at(-1)).toBe('proxy.test/collect');
    await page.close();
  });

  test('adds only its one name to the page', async () => {
    const page = await world.open({
      head: '<script>window.names=Object.getOwnPropertyNames(window)</script>',
    });

    const added = await page.evaluate(() => {
      const before = new Set<string>(Reflect.get(window, 'names'));
      return Object.getOwnPropertyNames(window).filter((name) => name !== 'names' && !before.has(name));
    });

    expect(added).toEqual(['hitherto']);
    await page.close();
  });

  describe('in a page that has it twice', () => {
    const again = (website: string) =>
      `<script defer src="${world.site.url('stats.test', '/script.js')}" data-website="${website}"></script>`;
    const counted = () => world.hits().map(({ website, name }) => [website, name]);

    test('counts once', async () => {
      world.hits();
      const page = await world.open({ body: again('w1') });

      await page.evaluate("history.pushState(null, '', '/b'); hitherto('Signup')");
      await world.settle(page);

      expect(counted()).toEqual([
        ['w1', undefined],
        ['w1', undefined],
        ['w1', 'Signup'],
      ]);
      await page.close();
    });

    test('counts once for each website', async () => {
      const page = await world.open({ body: again('w2') + again('w1') });

      expect(counted().sort()).toEqual([
        ['w1', undefined],
        ['w2', undefined],
      ]);
      await page.close();
    });
  });

  describe('never fails in the page', () => {
    const errors: string[] = [];
    const openWith = async (head: string) => {
      errors.length = 0;
      world.hits();
      world.context.once('page', (page) => page.on('pageerror', (error) => errors.push(error.message)));
      return world.open({ head: `<script>${head}</script>` });
    };

    test.each(['throw new Error("mock")', 'return undefined', 'return Promise.reject(new Error("mock"))'])(
      'where the page has replaced fetch by { %s }',
      async (body) => {
        const page = await openWith(`const real = fetch; window.fetch = (...args) => {
          if (args[1]?.method !== 'POST') return real(...args);
          ${body};
        }`);

        await page.evaluate("history.pushState(null, '', '/b'); hitherto('Signup')");
        await page.waitForTimeout(100);

        expect(errors).toEqual([]);
        await page.close();
      },
    );

    test('when properties have no JSON', async () => {
      const page = await openWith('');

      await page.evaluate("hitherto('Signup', { big: 1n }); hitherto('Buy')");
      await world.settle(page);

      expect(errors).toEqual([]);
      expect(world.hits().map(({ name }) => name)).toEqual([undefined, 'Buy']);
      await page.close();
    });
  });

  describe('after a failure', () => {
    const unavailable = { status: 503, headers: { 'retry-after': '0' } };

    test('retries with the same hit if there is a Retry-After', async () => {
      world.hits();
      world.respondNext(unavailable);

      const page = await world.open({ path: '/a' });
      await world.settle(page);

      const sent = world.hits();
      expect(sent).toHaveLength(2);
      expect(sent[1]).toEqual(sent[0]);
      await page.close();
    });

    test('retries at most twice', async () => {
      world.respondNext(unavailable, unavailable, unavailable);

      const page = await world.open();
      await world.settle(page);
      await world.settle(page);

      expect(world.hits()).toHaveLength(3);
      await page.close();
    });

    test('waits as long as Retry-After says', async () => {
      world.respondNext({ status: 503, headers: { 'retry-after': '1' } });

      const page = await world.open();
      await page.waitForTimeout(300);
      const early = world.hits().length;
      await page.waitForTimeout(1_200);

      expect([early, world.hits().length]).toEqual([1, 1]);
      await page.close();
    });

    test.each([
      ['503 without a time', { status: 503 }],
      ['429', { status: 429, headers: { 'retry-after': '0' } }],
      ['500', { status: 500, headers: { 'retry-after': '0' } }],
      ['422', { status: 422 }],
    ])('does not retry after %s', async (_status, response) => {
      world.respondNext(response);

      const page = await world.open();
      await page.waitForTimeout(300);

      expect(world.hits()).toHaveLength(1);
      await page.close();
    });

    test('does not retry after a network error, and the page sees no error', async () => {
      const page = await world.context.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(error.message));
      let tries = 0;
      await world.context.route('**/hits', (route) => {
        tries += 1;
        return route.abort();
      });

      await page.goto(world.site.url('site.test', '/'));
      await page.waitForTimeout(500);

      expect({ tries, errors }).toEqual({ tries: 1, errors: [] });
      await world.context.unroute('**/hits');
      await page.close();
    });
  });
});
