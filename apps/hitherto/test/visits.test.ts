import { startBrowser } from '@hitherto/testing/browser';
import { type Program, startProgram } from '@hitherto/testing/program';
import { startTestSite, type TestSite } from '@hitherto/testing/test-site';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

/** The browser of a person. The user agent of the real one says that it is headless. */
const BY_HAND: BrowserContextOptions = {
  locale: 'de-CH',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
};

interface Numbers {
  readonly visitors: number;
  readonly visits: number;
  readonly pageviews: number;
  readonly events: number;
}

let program: Program;
let browser: Browser;
let site: TestSite;
let markup: string;
let websites = 0;
beforeAll(async () => {
  program = await startProgram();
  browser = await startBrowser();
  site = await startTestSite(() => ({ body: `<!doctype html><title>é</title>${markup}` }));
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await program?.stop();
});

/** Adds a website, whose pages have the tracker and the pixel. */
async function addWebsite() {
  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(program.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect(response.ok, await response.clone().text()).toBe(true);
    return response.json() as Promise<T>;
  };
  websites += 1;
  const host = `shop${websites}.test`;
  const { data } = await send<{ data: { id: string } }>('POST', '/api/v1/websites', { url: `http://${host}` });
  const path = `/api/v1/websites/${data.id}`;
  const stats = program.baseUrl.replace('127.0.0.1', 'stats.test');
  markup = `<script defer src="${stats}/script.js" data-website="${data.id}"></script>
    <noscript><img src="${stats}/hits.gif?website=${data.id}&url=http%3A%2F%2F${host}%2Fpixel" alt=""></noscript>`;

  return {
    host,
    path,
    send,
    numbers: async () => (await send<{ data: Numbers }>('GET', `${path}/statistics`)).data,
    dropped: async () => (await send<{ data: unknown }>('GET', `${path}/statistics/dropped`)).data,
    valuesOf: async (dimension: string) => {
      const values = await send<{ data: { value: string | null; visits: number }[] }>(
        'GET',
        `${path}/statistics/by/${dimension}`,
      );
      return values.data.map(({ value, visits }) => [value, visits]);
    },
  };
}

async function visit(host: string, path: string, options: BrowserContextOptions = {}, referer?: string): Promise<Page> {
  const context = await browser.newContext({ ...BY_HAND, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.addInitScript("Object.defineProperty(navigator, 'webdriver', { value: false })");
  await page.goto(site.url(host, path), referer === undefined ? {} : { referer });
  await page.waitForLoadState('networkidle');
  return page;
}

describe('visits of a website', () => {
  test('become its statistics', async () => {
    const website = await addWebsite();

    const page = await visit(website.host, '/a?page=2&fbclid=z', {}, 'https://www.google.de/');
    await page.evaluate('history.pushState(null, "", "/b")');
    await page.evaluate('hitherto("Signup", { plan: "pro" })');
    await page.waitForLoadState('networkidle');

    await expect
      .poll(website.numbers)
      .toMatchObject({ visitors: 1, visits: 1, pageviews: 2, events: 1, bounce_rate: 0, views_per_visit: 2 });
    expect(await website.valuesOf('entry_page')).toEqual([['/a?page=2', 1]]);
    expect(await website.valuesOf('exit_page')).toEqual([['/b', 1]]);
    expect(await website.valuesOf('source')).toEqual([['Google', 1]]);
    expect(await website.valuesOf('channel')).toEqual([['Search', 1]]);
    expect(await website.valuesOf('language')).toEqual([['de', 1]]);
    expect(await website.valuesOf('browser')).toEqual([['Chrome', 1]]);
    expect(await website.valuesOf('os')).toEqual([['Linux', 1]]);
    expect(await website.valuesOf('device')).toEqual([['desktop', 1]]);
    expect(await website.valuesOf('event')).toEqual([['Signup', 1]]);
  });

  test('are counted without JavaScript', async () => {
    const website = await addWebsite();

    await visit(website.host, '/pixel', { javaScriptEnabled: false });

    await expect.poll(website.numbers).toMatchObject({ visitors: 1, pageviews: 1 });
    expect(await website.valuesOf('page')).toEqual([['/pixel', 1]]);
  });

  test('are dropped once their address is excluded, and explain says why', async () => {
    const website = await addWebsite();
    await visit(website.host, '/a');
    await expect.poll(website.numbers).toMatchObject({ pageviews: 1 });

    await website.send('PATCH', website.path, { exclude_ips: '203.0.113.0/24\n127.0.0.0/8' });
    // A change takes effect within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await visit(website.host, '/b');

    await expect.poll(website.dropped, { timeout: 6_000 }).toEqual([{ reason: 'excluded_ip', hits: 1 }]);
    expect(await website.numbers()).toMatchObject({ pageviews: 1 });
    const explained = await website.send('POST', `${website.path}/explain`, {
      url: `http://${website.host}/b`,
      ip: '127.0.0.1',
    });
    expect(explained).toMatchObject({
      data: { counted: false, reason: 'excluded_ip', rule: { field: 'exclude_ips', line: 2, entry: '127.0.0.0/8' } },
    });
  });

  test('of an automated browser are dropped as bot', async () => {
    const website = await addWebsite();
    const context = await browser.newContext();
    onTestFinished(() => context.close());

    const page = await context.newPage();
    await page.goto(site.url(website.host, '/'));
    await page.waitForLoadState('networkidle');

    await expect.poll(website.dropped, { timeout: 6_000 }).toEqual([{ reason: 'bot', hits: 1 }]);
    expect(await website.numbers()).toMatchObject({ visits: 0 });
  });
});
