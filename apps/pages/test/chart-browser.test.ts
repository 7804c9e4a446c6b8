import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';

const { world, contextOf } = await startBrowsing();
const path = `/statistics/${world.busy.id}?period=7d`;

async function open(options: Parameters<typeof contextOf>[1], work: (page: Page) => Promise<void>): Promise<void> {
  const context = await contextOf('nobody', options);
  const page = await context.newPage();
  await page.goto(`${world.url}${path}`);
  await work(page);
  await context.close();
}
const card = (page: Page) => page.locator('.point-card');
const point = (page: Page, index: number) => page.locator('.moments > *').nth(index).locator('rect');

describe('the card of the chart', () => {
  test('shows the row of the table at the point, within the chart', async () => {
    await open({ viewport: { width: 1280, height: 900 } }, async (page) => {
      expect(await card(page).isVisible()).toBe(false);
      await point(page, 6).hover();

      const row = page.locator('.chart tbody tr:not(.annotation)').nth(6);
      const name = await row.locator('th').textContent();
      expect(await card(page).locator('p').first().textContent()).toBe(name);
      expect(await card(page).locator('p').nth(1).textContent()).toBe(await row.locator('td').first().textContent());
      const [box, area] = [await card(page).boundingBox(), await page.locator('.chart').boundingBox()];
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((area?.x ?? 0) + (area?.width ?? 0));
      await page.mouse.move(5, 5);
      expect(await card(page).isVisible()).toBe(false);
    });
  });

  test('has the annotations of the point', async () => {
    await open({ viewport: { width: 1280, height: 900 } }, async (page) => {
      const noted = page.locator('.chart tbody tr:not(.annotation)', { has: page.locator(':scope + .annotation') });
      const index = await page
        .locator('.chart tbody tr:not(.annotation)')
        .evaluateAll((rows) => rows.findIndex((row) => row.nextElementSibling?.className === 'annotation'));
      const text = await noted.first().locator('xpath=following-sibling::tr[1]').textContent();

      await point(page, index).hover();

      expect(await card(page).textContent()).toContain(text);
    });
  });

  test('is shown by the first tap, and the second one leads to the day', async () => {
    await open({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }, async (page) => {
      await point(page, 2).tap();
      expect(await card(page).isVisible()).toBe(true);
      expect(page.url()).toContain(path);

      await point(page, 2).tap();

      await page.waitForURL(/[?&]from=2026-11-16&to=2026-11-16/);
    });
  });

  test('leaves the numbers of a point above the chart without scripts', async () => {
    await open({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } }, async (page) => {
      await point(page, 2).hover();

      expect(await page.locator('.moments > :hover text').isVisible()).toBe(true);
    });
  });
});

describe('the keys', () => {
  test('lead to a period, and to the days before and after', async () => {
    await open({}, async (page) => {
      for (const [key, address] of [
        ['ArrowLeft', /from=2026-11-07&to=2026-11-13/],
        ['ArrowRight', /from=2026-11-14&to=2026-11-20/],
        ['d', /period=today/],
        ['w', /period=7d/],
        ['m', /period=month/],
        ['Y', /period=12m/],
      ] as const) {
        await page.keyboard.press(key);
        await page.waitForURL(address);
      }
    });
  });

  test('do nothing in a field, with another key held, or once they are turned off', async () => {
    await open({}, async (page) => {
      await page.locator('summary', { hasText: 'Other days' }).click();
      await page.locator('[name="from"]').focus();
      await page.keyboard.press('d');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+d');
      await page.getByLabel('Keys: D').uncheck();
      await page.reload();
      await page.keyboard.press('d');
      await page.keyboard.press('ArrowLeft');

      expect(page.url()).toBe(`${world.url}${path}`);
      await page.getByLabel('Keys: D').check();
      await page.keyboard.press('d');
      await page.waitForURL(/period=today/);
    });
  });
});
