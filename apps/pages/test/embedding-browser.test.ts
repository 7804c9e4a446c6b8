import { createServer as createHttpsServer } from 'node:https';
import { connect, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { startBrowser } from '@hitherto/testing/browser';
import { certificate } from '@hitherto/testing/certificate';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, PASSWORD_HASH, type PagesUnderTest, startPages } from './support/pages.ts';
import { shareLink } from './support/sharing.ts';

// sharing.md, "Embedding", in a real browser: the service by https, in frames of other sites.

let browser: Browser;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startService()]);
});

afterAll(async () => {
  await browser.close();
  await service.close();
});

/** The pages behind something that terminates TLS, and a server of pages that have them in a frame. */
async function startService() {
  let port = 0;
  const pair = await certificate();
  const embedding = createHttpsServer(pair, ({ url = '' }, response) => {
    const address = new URL(url, 'https://shop.test').searchParams.get('frame');
    response
      .setHeader('content-type', 'text/html')
      .end(
        `<!doctype html><title>Shop</title><iframe src="${address}" style="width: 100%; height: 900px; border: 0"></iframe>`,
      );
  });
  await new Promise<void>((resolve) => embedding.listen(0, '127.0.0.1', resolve));
  const tls = createServer(pair, (socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.on('error', () => upstream.destroy());
    upstream.on('error', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  const origin = `https://stats.first.test:${portOf(tls)}`;
  const pages: PagesUnderTest = await startPages({ publicUrl: origin });
  port = Number(new URL(await pages.app.listen({ host: '127.0.0.1', port: 0 })).port);
  return {
    pages,
    origin,
    shop: `https://shop.second.test:${portOf(embedding)}`,
    other: `https://other.third.test:${portOf(embedding)}`,
    close: async () => {
      embedding.close();
      await pages.app.close();
      tls.close();
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.port;
}

function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  return browser.newContext({ ignoreHTTPSErrors: true, ...options });
}

/** A page of another site with the address in a frame. */
async function embed(context: BrowserContext, site: string, path: string): Promise<{ page: Page; frame: Frame }> {
  const page = await context.newPage();
  await page.goto(`${site}/?frame=${encodeURIComponent(`${service.origin}${path}`)}`);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error('There is no frame.');
  return { page, frame };
}

async function addWebsite(embedOrigins: readonly string[], privacy: 'public' | 'private' | 'password' = 'public') {
  const website = await service.pages.addWebsite({ privacy, embedOrigins, passwordHash: PASSWORD_HASH });
  await service.pages.addHits(website, [{}, { visitor: 2n, name: 'E', props: { p: 'v' } }]);
  return website;
}

describe('a frame of another site', () => {
  test('shows the page if its origin is allowed, and keeps its look from link to link', async () => {
    const { id } = await addWebsite([service.shop]);
    const context = await newContext();
    const { frame } = await embed(context, service.shop, `/statistics/${id}?embed=1&theme=dark`);

    await frame.locator('.list-foot a', { hasText: /page/ }).first().click();
    await frame.waitForURL('**/by/*');
    await frame.locator('nav[aria-label="Period"] a', { hasText: '7 days' }).click();
    await frame.waitForURL('**period=7d**');

    expect(frame.url()).toMatch(/embed=1&theme=dark/);
    expect(await frame.locator('header, footer').count()).toBe(0);
    expect(await frame.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe('rgb(18, 19, 23)');
    await context.close();
  });

  test('shows nothing if its origin is not allowed', async () => {
    const { id } = await addWebsite([service.other]);
    const context = await newContext();
    const { frame } = await embed(context, service.shop, `/statistics/${id}?embed=1`);

    expect(await frame.locator('[data-metric]').count()).toBe(0);
    expect(frame.url()).not.toContain(service.origin);
    await context.close();
  });

  test('opens a link with its password, for as long as the cookie lasts, and within that site only', async () => {
    const website = await addWebsite([service.shop, service.other], 'private');
    const path = await shareLink(service.pages, website, { password: PASSWORD });
    const context = await newContext();
    const { page, frame } = await embed(context, service.shop, `${path}?embed=1`);

    await frame.locator('input[type="password"]').fill(PASSWORD);
    await frame.locator('button[type="submit"]').click();
    await frame.waitForSelector('[data-metric="visitors"]');
    await page.reload();
    await page.frames()[1]?.waitForSelector('[data-metric="visitors"]');

    const elsewhere = await embed(context, service.other, `${path}?embed=1`);
    expect(await elsewhere.frame.locator('input[type="password"]').count()).toBe(1);
    const cookies = await context.cookies(`${service.origin}${path}`);
    expect(cookies).toEqual([
      expect.objectContaining({ name: '__Secure-hitherto_framed_unlock', path, secure: true, sameSite: 'None' }),
    ]);
    await context.close();
  });
});

test('a browser that reads a shared link sends its token to no other address, not even as a referrer', async () => {
  const website = await addWebsite([], 'private');
  const path = await shareLink(service.pages, website);
  const context = await newContext();
  const page = await context.newPage();
  const referrers: string[] = [];
  page.on('request', (request) => referrers.push(request.headers().referer ?? ''));

  await page.goto(`${service.origin}${path}`);
  await page.locator('.list-foot a', { hasText: /page/ }).first().click();
  await page.waitForURL('**/by/*');

  expect(referrers.length).toBeGreaterThan(3);
  expect(new Set(referrers)).toEqual(new Set(['', `${service.origin}/`]));
  await context.close();
});
