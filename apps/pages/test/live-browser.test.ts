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

describe('the menu of websites', () => {
  test('leads to the same page of another website without scripts, also from the statistics', async () => {
    const other = await world.pages.addWebsite({ url: 'https://a-first.example' });
    context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    const go = async (from: string, to: string) => {
      await page.goto(`${world.url}${from}`);
      await page.locator('.switcher summary').click();
      await page.locator('.switcher').getByRole('link', { name: 'a-first.example', exact: true }).click();
      await page.waitForURL(`${world.url}${to}`);
    };

    await go(`/statistics/${website.id}?period=7d&page=/x`, `/statistics/${other.id}?period=7d`);
    await go(`/statistics/${website.id}/live`, `/statistics/${other.id}/live?period=today`);
    await go(`/statistics/${website.id}/by/source`, `/statistics/${other.id}/by/source`);
    await go(`/websites/${website.id}/goals`, `/websites/${other.id}/goals`);
    await page.locator('.switcher summary').click();
    await page.locator('.switcher').getByRole('link', { name: 'All websites' }).click();
    await page.waitForURL(`${world.url}/`);
  });
});
