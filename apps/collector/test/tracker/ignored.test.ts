import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTracker } from '../../src/tracker/read-tracker.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** What the script writes to the console of a page. */
async function consoleOf(open: () => Promise<Page>): Promise<string[]> {
  const lines: string[] = [];
  world.context.once('page', (page) => page.on('console', (message) => lines.push(message.text())));
  const page = await open();
  await page.close();
  return lines;
}

describe('a local page', () => {
  test('says so in one line of the console, and names data-local', async () => {
    const script = world.site.url('stats.test', '/script.js');
    const again = `<script src="${script}" data-website="w1"></script>`;

    const lines = await consoleOf(() => world.open({ host: 'localhost', body: again }));

    expect(lines).toEqual(['Hitherto is off: localhost: no data-local']);
    expect(await consoleOf(() => world.open({ host: 'localhost', attributes: 'data-local' }))).toEqual([]);
    world.hits();
  });

  test.each(['localhost', 'shop.localhost', '127.0.0.1'])('on %s is not counted', async (host) => {
    const page = await world.open({ host });

    expect(world.hits()).toEqual([]);
    await page.close();
  });

  test.each(['http://127.9.9.9/', 'http://[::1]/'])('on %s is counted only with data-local', async (url) => {
    const sent: string[] = [];
    await world.context.route('**/hits', (route) => {
      sent.push(route.request().postDataJSON().url);
      return route.fulfill({ status: 202 });
    });
    const page = await world.context.newPage();
    for (const attribute of ['', 'data-local']) {
      await world.context.route(url, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<script src="/script.js" data-website="w1" ${attribute}></script>`,
        }),
      );
      await world.context.route(`${url}script.js`, (route) => route.fulfill({ body: readTracker() }));

      await page.goto(url);
      await page.waitForTimeout(200);
      sent.push(attribute);
    }

    expect(sent).toEqual(['', url, 'data-local']);
    await world.context.unrouteAll();
    await page.close();
  });

  test.each(['', 'data-local'])('from a file is not counted, with the attributes "%s"', async (attribute) => {
    const folder = await mkdtemp(join(tmpdir(), 'hitherto-tracker-'));
    const file = join(folder, 'page.html');
    const script = world.site.url('stats.test', '/script.js');
    await writeFile(file, `<script src="${script}" data-website="w1" ${attribute}></script>`);
    const page = await world.context.newPage();

    await page.goto(pathToFileURL(file).href);
    await world.settle(page);

    expect(await page.evaluate('typeof hitherto')).toBe('function');
    expect(world.hits()).toEqual([]);
    await page.close();
    await rm(folder, { recursive: true });
  });

  test('without an address of its own is not counted', async () => {
    world.hits();
    const script = world.site.url('stats.test', '/script.js');

    const page = await world.open({
      body: `<iframe srcdoc='<script src="${script}" data-website="w1"></script>'></iframe>`,
    });

    expect(world.hits().map(({ url }) => url)).toEqual([page.url()]);
    await page.close();
  });

  test('is counted with data-local', async () => {
    const page = await world.open({ host: 'localhost', attributes: 'data-local' });

    expect(world.hits()).toMatchObject([{ url: world.site.url('localhost', '/') }]);
    await page.close();
  });

  test('is not one whose host name only looks similar', async () => {
    const page = await world.open({ host: 'localhost.test' });

    expect(world.hits()).toHaveLength(1);
    await page.close();
  });
});

describe('a script without a website', () => {
  const errors: string[] = [];
  const openRaw = async (html: string) => {
    errors.length = 0;
    world.hits();
    world.context.once('page', (page) => page.on('pageerror', ({ message }) => errors.push(message)));
    return world.open({ html });
  };
  const script = () => world.site.url('stats.test', '/script.js');

  test.each<[string, () => string]>([
    [
      'made by a tag manager that drops attributes',
      () =>
        `<script>const e = document.createElement('script'); e.src = '${script()}'; document.head.append(e)</script>`,
    ],
    ['as a module', () => `<script type="module" src="${script()}"></script>`],
    ['in a bundle', () => `<script>${readTracker()}</script>`],
    ['in a module', () => `<script type="module">${readTracker()}</script>`],
  ])('%s sends nothing, fails nowhere, and says so in one line', async (_, html) => {
    const lines = await consoleOf(() => openRaw(html()));

    expect(world.hits()).toEqual([]);
    expect(errors).toEqual([]);
    expect(lines).toEqual(['Hitherto is off: no data-website']);
  });

  test('as a module with attributes is counted', async () => {
    const page = await openRaw(`<script type="module" src="${script()}" data-website="w2"></script>`);

    expect(world.hits()).toMatchObject([{ website: 'w2' }]);
    await page.close();
  });

  test('is counted for the one in the fragment of its address, once, with other options there', async () => {
    const src = `${script()}#website=w2&hash&endpoint=${encodeURIComponent(world.site.url('proxy.test', '/c'))}`;
    const add = `const e = document.createElement('script'); e.src = '${src}'; document.head.append(e)`;
    const page = await openRaw(`<script>${add}</script><script src="${src}"></script>`);

    await page.evaluate("location.hash = '/b'");
    await world.settle(page);

    const sent = world.site.requests.filter(({ method }) => method === 'POST').slice(-2);
    expect(sent.map(({ host, path }) => host + path)).toEqual(['proxy.test/c', 'proxy.test/c']);
    expect(world.hits()).toMatchObject([
      { website: 'w2', url: world.site.url('site.test', '/') },
      { website: 'w2', url: world.site.url('site.test', '/#/b') },
    ]);
    await page.close();
  });

  test('is counted for the one in its attributes, if it has both', async () => {
    const page = await openRaw(`<script src="${script()}#website=w2" data-website="w3"></script>`);

    expect(world.hits()).toMatchObject([{ website: 'w3' }]);
    await page.close();
  });
});

describe('a browser with hitherto-ignore', () => {
  test('sends nothing, whatever the value', async () => {
    const page = await world.open({ before: () => localStorage.setItem('hitherto-ignore', '') });

    await page.evaluate('hitherto("Signup")');
    await world.settle(page);

    expect(world.hits()).toEqual([]);
    await page.evaluate(() => localStorage.clear());
    await page.close();
  });

  test('stops sending at once', async () => {
    const page = await world.open();
    world.hits();

    await page.evaluate(() => localStorage.setItem('hitherto-ignore', '1'));
    await page.evaluate(() => history.pushState(null, '', '/b'));
    await world.settle(page);

    expect(world.hits()).toEqual([]);
    await page.evaluate(() => localStorage.clear());
    await page.close();
  });

  test('sends hits with data-nostorage, which reads nothing that is stored', async () => {
    const page = await world.open({
      attributes: 'data-nostorage',
      before: () => {
        const storage = localStorage;
        storage.setItem('hitherto-ignore', '');
        Object.assign(window, { forget: () => storage.clear() });
        for (const name of ['localStorage', 'sessionStorage', 'indexedDB'] as const) {
          Object.defineProperty(window, name, { get: () => document.body.append(`read ${name}`) });
        }
        Object.defineProperty(document, 'cookie', { get: () => document.body.append('read cookie') });
      },
    });

    expect(world.hits()).toHaveLength(1);
    expect(await page.evaluate('document.body.textContent')).not.toContain('read');
    await page.evaluate('forget()');
    await page.close();
  });

  test('sends hits when storage is forbidden', async () => {
    const page = await world.open({
      before: () =>
        Object.defineProperty(window, 'localStorage', {
          get: () => {
            throw new DOMException('forbidden', 'SecurityError');
          },
        }),
    });

    expect(world.hits()).toHaveLength(1);
    await page.close();
  });
});

describe('a browser that asks not to be tracked', () => {
  const asks = {
    'by DNT': () => Object.defineProperty(navigator, 'doNotTrack', { value: '1' }),
    'by GPC': () => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }),
  };

  test.each(Object.entries(asks))('%s is not counted with data-dnt', async (_how, before) => {
    const page = await world.open({ attributes: 'data-dnt', before });

    expect(world.hits()).toEqual([]);
    await page.close();
  });

  test.each(Object.entries(asks))('%s is counted without data-dnt', async (_how, before) => {
    const page = await world.open({ before });

    expect(world.hits()).toHaveLength(1);
    await page.close();
  });

  test('is the only kind that data-dnt excludes', async () => {
    const page = await world.open({ attributes: 'data-dnt' });

    expect(world.hits()).toHaveLength(1);
    await page.close();
  });
});
