import type { Website } from '@hitherto/domain/websites';
import type { BrowserContext } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';

const { world, contextOf } = await startBrowsing();
let context: BrowserContext;
let website: Website;

beforeEach(async () => {
  website = await world.pages.addWebsite({ privacy: 'public' });
  await world.pages.addHits(website, [{ visitor: 1n, page: '/first' }]);
});
afterEach(() => context.close());

describe('the live view in a browser', () => {
  test('shows new visitors by itself, and leaves the focus where it is', async () => {
    context = await contextOf('nobody', {});
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(`${world.url}/statistics/${website.id}/live`);
    await page.getByRole('link', { name: '/first' }).focus();
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('link', { name: '/first' }).focus();

    await world.pages.addHits(website, [{ visitor: 2n, page: '/second' }]);
    await page.clock.runFor(10_000);

    await page.getByRole('link', { name: '/second' }).waitFor();
    expect(await page.locator('.headline').textContent()).toContain('2 visitors');
    expect(await page.locator(':focus').textContent()).toBe('/first');
    expect(await page.locator('.minutes details').getAttribute('open')).not.toBeNull();
  });

  test('has a link to refresh it without scripts', async () => {
    context = await contextOf('nobody', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}/statistics/${website.id}/live`);
    await world.pages.addHits(website, [{ visitor: 2n, page: '/second' }]);

    await page.getByRole('link', { name: 'Refresh' }).click();

    await page.getByRole('link', { name: '/second' }).waitFor();
  });
});
