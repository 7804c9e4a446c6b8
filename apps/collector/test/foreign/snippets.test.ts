import { startBrowser } from '@hitherto/testing/browser';
import { aWebsite } from '@hitherto/testing/fixtures';
import { startTestSite, type TestSite } from '@hitherto/testing/test-site';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveCollector } from '../support/collector.ts';
import { ALIASES, SITE_ID } from './walk.ts';

let browser: Browser;
let site: TestSite;
let html = '';
let policy: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  browser = await startBrowser();
  site = await startTestSite(() => ({ body: html, headers: { ...policy } }));
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

/** Opens a page with a snippet in its head; `seen` are the pages and events so far. */
async function open(
  head: (stats: string) => string,
  { path = '/a', body = '', host = 'site.test', before = '', script = '' } = {},
) {
  const website = aWebsite({ url: `http://${host}`, aliases: ALIASES });
  const { app, hits } = await serveCollector({ websites: [website] });
  const stats = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'stats.test');
  html = `<!doctype html><title>é</title>${head(stats)}<body>${body}`;
  policy = script === '' ? {} : { 'content-security-policy': `script-src ${stats}${script}; connect-src ${stats}` };
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page: Page = await context.newPage();
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  if (before !== '') await page.addInitScript(before);
  await page.goto(site.url(host, path));
  const seen = () => hits.stored.map(({ page: of, name, props }) => (name === null ? of : [of, name, props]));
  return { page, seen, stats };
}

const POLL = { timeout: 5_000 };

describe('with a policy that names the script alone', () => {
  test.each<[string, (stats: string) => string, string]>([
    [
      'Umami’s',
      (stats) => `<script defer src="${stats}/script.js" data-website-id="${SITE_ID}"></script>`,
      '/script.js',
    ],
    [
      'an old one of Umami’s',
      (stats) => `<script async src="${stats}/umami.js" data-website-id="${SITE_ID}"></script>`,
      '/umami.js',
    ],
    [
      'Plausible’s',
      (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.js"></script>`,
      '/js/script.js',
    ],
    [
      'GoatCounter’s',
      (stats) => `<script data-goatcounter="${stats}/count/blog" async src="${stats}/count.js"></script>`,
      '/count.js',
    ],
  ])('the snippet is counted unchanged: %s', async (_, head, script) => {
    const { seen } = await open(head, { script });

    await expect.poll(seen, POLL).toEqual(['/a']);
  });
});

describe('a page that takes labels out of its address is counted once', () => {
  test.each<[string, (stats: string) => string]>([
    ['Umami’s', (stats) => `<script defer src="${stats}/script.js" data-website-id="${SITE_ID}"></script>`],
    ['Plausible’s', (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.js"></script>`],
  ])('by our script in the place of %s', async (_, head) => {
    const { page, seen } = await open(head, { path: '/a?utm_source=nl&fbclid=x' });
    await expect.poll(seen, POLL).toEqual(['/a']);

    await page.evaluate("history.replaceState(null, '', '/a'); history.pushState(null, '', '/b')");
    await expect.poll(seen, POLL).toContain('/b');
    await page.reload();

    await expect.poll(seen, POLL).toEqual(['/a', '/b', '/b']);
  });
});

test('links inside SVG are counted by our script in the place of Plausible’s', async () => {
  const { page, seen } = await open(
    (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.outbound-links.js"></script>`,
    { body: '<svg><a href="http://other.test/x" onclick="return false"><text y="20">y</text></a></svg>' },
  );
  await page.click('text');

  await expect.poll(seen, POLL).toEqual(['/a', ['/a', 'Outbound link', { url: 'other.test/x' }]]);
});

test('a router on the Navigation API is counted by our script in the place of Plausible’s', async () => {
  const { page, seen } = await open(
    (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.js"></script>`,
    { body: `<script>navigation.addEventListener('navigate', (e) => e.intercept({ async handler() {} }))</script>` },
  );
  await expect.poll(seen, POLL).toEqual(['/a']);
  await page.evaluate("navigation.navigate('/b').finished.then(() => {})");

  await expect.poll(seen, POLL).toEqual(['/a', '/b']);
});

describe('our script in the place of Umami’s', () => {
  const snippet = (attributes: string) => (stats: string) =>
    `<script defer src="${stats}/script.js" data-website-id="${SITE_ID}" ${attributes}></script>`;
  const SEND = "umami.track('E', { a: 1 })";
  const ready = (page: Page) => page.waitForFunction('window.umami !== undefined');

  test('counts only the hosts in data-domains', async () => {
    const here = await open(snippet('data-domains="other.test, site.test"'));
    await expect.poll(here.seen, POLL).toEqual(['/a']);
    const elsewhere = await open(snippet('data-domains="other.test"'));
    await ready(elsewhere.page);
    await elsewhere.page.evaluate(SEND);
    await elsewhere.page.waitForTimeout(300);

    expect(elsewhere.seen()).toEqual([]);
  });

  test('counts local pages, as Umami does', async () => {
    const { seen } = await open(snippet(''), { host: 'blog.localhost' });

    await expect.poll(seen, POLL).toEqual(['/a']);
  });

  test.each([
    ['in a browser that is not counted', "localStorage.setItem('hitherto-ignore', '')"],
    ['on a page that is not shown yet', "Object.defineProperty(document, 'hidden', { value: true })"],
  ])('has window.umami, which pages call, also %s', async (_, before) => {
    const { page, seen } = await open(snippet(''), { before });

    await ready(page);
    expect(seen()).toEqual([]);
  });

  test('leaves out the query with data-exclude-search, and the fragment with data-exclude-hash', async () => {
    const both = await open(snippet('data-exclude-search="true" data-exclude-hash="true"'), { path: '/a?b=1#/c' });
    await expect.poll(both.seen, POLL).toEqual(['/a']);
    const none = await open(snippet(''), { path: '/a?b=1#/c' });

    await expect.poll(none.seen, POLL).toEqual(['/a?b=1#/c']);
  });

  test('counts nothing by itself with data-auto-track="false", and what the page sends', async () => {
    const { page, seen } = await open(snippet('data-auto-track="false"'), {
      body: '<button data-umami-event="Click">y</button>',
    });
    await ready(page);
    await page.click('button');
    await page.evaluate("history.pushState(null, '', '/b')");
    await page.waitForTimeout(300);
    await page.evaluate('umami.track()');
    await expect.poll(seen, POLL).toEqual(['/b']);
  });

  test('sends the properties of data-umami-event-…, and data-tag; umami.identify does nothing', async () => {
    const { page, seen } = await open(snippet('data-tag="new"'), {
      body: '<button data-umami-event="Click" data-umami-event-plan="pro"><b>y</b></button>',
    });
    await ready(page);
    await page.click('b');
    await page.evaluate("umami.identify('user-17', { name: 'é' })");

    await expect.poll(seen, POLL).toEqual(['/a', ['/a', 'Click', { plan: 'pro', tag: 'new' }]]);
  });
});

test('a page reads the response to a hit that it sends with credentials, as Matomo’s own script does', async () => {
  const { page, seen, stats } = await open(() => '');

  const status = await page.evaluate(`fetch('${stats}/matomo.php', {
    method: 'POST',
    credentials: 'include',
    body: new URLSearchParams({ idsite: '3', rec: '1', url: location.href, send_image: '0' }),
  }).then(({ status }) => status)`);

  expect([status, seen()]).toEqual([204, ['/a']]);
});

describe('our script in the place of Matomo’s', () => {
  test('sends nothing for an event with a blank category or without action, a goal without number or a link without address', async () => {
    const { page, seen } = await open(
      (stats) => `<script src="${stats}/matomo.js"></script>
      <script>_paq.push(['setSiteId', '3'])</script>`,
    );
    const empty = [
      ['trackEvent', 'Menu', ''],
      ['trackEvent', ' ', 'Open'],
      ['trackEvent', 'Menu'],
      ['trackGoal', ''],
      ['trackLink', '', 'link'],
      ['trackLink'],
    ];
    await page.evaluate(
      `_paq.push(...${JSON.stringify([...empty, ['trackEvent', null, 'Play'], ['trackEvent', 'Menu', 'Open']])})`,
    );
    await expect.poll(() => seen().length, POLL).toBeGreaterThan(1);
    await page.waitForTimeout(300);

    // Matomo’s own script, too, sends an event whose category is missing.
    expect(seen()).toEqual([
      ['/a', 'Play', {}],
      ['/a', 'Open', { category: 'Menu' }],
    ]);
  });
});

describe('our script in the place of GoatCounter’s', () => {
  const snippet = (stats: string) =>
    `<script data-goatcounter="${stats}/count/blog" async src="${stats}/count.js"></script>`;

  test('turns itself off and on in this browser with #toggle-goatcounter', async () => {
    const { page, seen } = await open(snippet, { path: '/off#toggle-goatcounter' });
    const said: string[] = [];
    page.on('dialog', (dialog) => {
      said.push(dialog.message());
      void dialog.accept();
    });
    await page.goto(site.url('site.test', '/on'));
    await page.goto(site.url('site.test', '/still-off'));
    await page.goto(site.url('site.test', '/on?#toggle-goatcounter'));

    await expect.poll(seen, POLL).toEqual(['/on']);
    expect(said).toEqual([expect.stringContaining('are counted')]);
  });

  test.each([
    ['a canonical address of the site', 'http://www.site.test/canonical?x=1', '/canonical?x=1'],
    ['none of another site', 'http://other.test/canonical', '/a'],
    ['none that is malformed', 'http://', '/a'],
  ])('takes as the page %s', async (_, href, counted) => {
    const { seen } = await open((stats) => `<link rel="canonical" href="${href}">${snippet(stats)}`);

    await expect.poll(seen, POLL).toEqual([counted]);
  });

  test('names an event by the click, the name or the id of its element', async () => {
    const { page, seen } = await open(snippet, {
      body: '<button data-goatcounter-click="a b">1</button><button data-goatcounter-click name="n">2</button><button data-goatcounter-click id="i">3</button>',
    });
    await expect.poll(seen, POLL).toEqual(['/a']);
    for (const text of ['1', '2', '3']) await page.click(`text="${text}"`);

    await expect
      .poll(
        () =>
          seen()
            .slice(1)
            .map((event) => event?.[1])
            .toSorted(),
        POLL,
      )
      .toEqual(['a b', 'i', 'n']);
  });
});

describe('our script in the place of Plausible’s', () => {
  const INIT = `<script>window.plausible=window.plausible||function(){(plausible.q=plausible.q||[]).push(arguments)},
    plausible.init=plausible.init||function(i){plausible.o=i||{}};
    plausible('Early'); plausible.init({ hashBasedRouting: true, customProperties: { plan: 'pro' } })</script>`;

  test.each<[string, (stats: string) => string]>([
    ['before', (stats) => `<script src="${stats}/js/pa-Xy_1.js"></script>${INIT}`],
    ['after', (stats) => `${INIT}<script src="${stats}/js/pa-Xy_1.js"></script>`],
  ])('takes the options of plausible.init, if it has been loaded %s', async (_, head) => {
    const { seen } = await open(head, { path: '/a#/part' });

    await expect.poll(() => seen().length, POLL).toBe(2);
    expect(seen()).toEqual(expect.arrayContaining(['/a#/part', ['/a#/part', 'Early', { plan: 'pro' }]]));
  });

  test('counts as downloads the files with the extensions in fileDownloads, and no others', async () => {
    const { page, seen } = await open(
      (stats) => `<script src="${stats}/js/pa-Xy_1.js"></script>
        <script>plausible.init({ fileDownloads: { fileExtensions: ['txt', 'Z'] } })</script>`,
      {
        body: ['/f.pdf', '/f.TXT', '/ftxt', '/f.z?x=.pdf', 'http://other.test/f.pdf']
          .map((href) => `<a href="${href}" onclick="return false">${href}</a>`)
          .join(' '),
      },
    );
    await expect.poll(seen, POLL).toEqual(['/a']);
    for (const link of await page.getByRole('link').all()) await link.click();

    await expect.poll(() => seen().length, POLL).toBe(4);
    expect(seen().slice(1)).toEqual(
      expect.arrayContaining([
        ['/a', 'Download', { url: 'site.test/f.TXT' }],
        ['/a', 'Download', { url: 'site.test/f.z' }],
        ['/a', 'Outbound link', { url: 'other.test/f.pdf' }],
      ]),
    );
  });

  test.each(['true', '{}'])('counts as downloads the usual files with fileDownloads: %s', async (option) => {
    const { page, seen } = await open(
      (stats) => `<script src="${stats}/js/pa-Xy_1.js"></script>
        <script>plausible.init({ fileDownloads: ${option} })</script>`,
      { body: '<a href="/f.pdf" onclick="return false">y</a>' },
    );
    await page.click('a');

    await expect.poll(seen, POLL).toEqual(['/a', ['/a', 'Download', { url: 'site.test/f.pdf' }]]);
  });

  test.each([
    ['file-types="jar, Bin"', ['f.jar', 'f.bin']],
    ['add-file-types="jar"', ['f.jar', 'f.pdf']],
  ])('counts as downloads the files that the attribute of its script lists: %s', async (attribute, files) => {
    const { page, seen } = await open(
      (stats) =>
        `<script defer data-domain="site.test" ${attribute} src="${stats}/js/script.file-downloads.js"></script>`,
      {
        body: ['/f.jar', '/f.bin', '/f.pdf', '/f.html']
          .map((href) => `<a href="${href}" onclick="return false">${href}</a>`)
          .join(' '),
      },
    );
    await expect.poll(seen, POLL).toEqual(['/a']);
    for (const link of await page.getByRole('link').all()) await link.click();

    await expect.poll(() => seen().length, POLL).toBe(3);
    expect(seen().slice(1)).toEqual(
      expect.arrayContaining(files.map((file) => ['/a', 'Download', { url: `site.test/${file}` }])),
    );
  });

  test('takes the revenue of a tagged element from its classes', async () => {
    const { page, seen } = await open(
      (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.revenue.tagged-events.js"></script>`,
      {
        body: `<button class="plausible-event-name=Buy plausible-event-plan=pro plausible-revenue-amount=10.29
          plausible-revenue-currency--EUR">y</button>`,
      },
    );
    await page.click('button');

    await expect.poll(seen, POLL).toEqual(['/a', ['/a', 'Buy', { plan: 'pro', revenue: 10.29, currency: 'EUR' }]]);
  });

  test('counts nothing before plausible.init', async () => {
    const { page, seen } = await open((stats) => `<script src="${stats}/js/pa-Xy_1.js"></script>`);
    await page.waitForTimeout(300);
    expect(seen()).toEqual([]);

    await page.evaluate('plausible.init()');

    await expect.poll(seen, POLL).toEqual(['/a']);
  });

  test('tells a callback the status of the response, or that there was none', async () => {
    const { page } = await open(
      (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.js"></script>`,
    );
    const told = (options: string) =>
      page.evaluate(`new Promise((callback) => plausible('E', { ${options} callback }))`);

    expect(await told('')).toEqual({ status: 202 });
    expect(await told("u: 'nonsense',")).toEqual({ status: 422 });
    await page.route('**/api/event', (route) => route.abort());
    expect(await told('')).toEqual({ error: expect.any(String) });
  });

  test('counts a tagged form when it is submitted, and not when something in it is clicked', async () => {
    const { page, seen } = await open(
      (stats) => `<script defer data-domain="site.test" src="${stats}/js/script.tagged-events.js"></script>`,
      {
        body: `<form class="plausible-event-name=Sent+it plausible-event-plan=pro" onsubmit="return false">
          <input name="a"><button>y</button></form>`,
      },
    );
    await page.click('input');
    await page.waitForTimeout(300);
    expect(seen()).toEqual(['/a']);

    await page.click('button');

    await expect.poll(seen, POLL).toEqual(['/a', ['/a', 'Sent it', { plan: 'pro' }]]);
  });

  test('leaves out pages that data-exclude names, and counts local pages with their extensions alone', async () => {
    const head = (stats: string) =>
      `<script defer data-domain="site.test" data-exclude="/b/*, /c/**" src="${stats}/js/script.exclusions.js"></script>`;
    const { page, seen } = await open(head);
    for (const path of ['/b/x', '/c/x/y', '/b/x/y']) await page.evaluate(`history.pushState(null, '', '${path}')`);

    await expect.poll(seen, POLL).toEqual(['/a', '/b/x/y']);
  });
});
