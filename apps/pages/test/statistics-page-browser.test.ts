import { describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';
import { definer } from './support/definitions.ts';

const { world, contextOf } = await startBrowsing();

describe('a whole list', () => {
  test('has room for its values on a phone', async () => {
    const state = world.states.find(({ name }) => name === 'list of sources');
    const context = await contextOf('nobody', { viewport: { width: 360, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${world.url}${state?.path}`);

    const width = await page
      .locator('tbody .label')
      .first()
      .evaluate((label) => label.clientWidth);

    expect(width).toBeGreaterThan(180);
    await context.close();
  });
});

test('a whole list on a phone shows the one number that its tabs choose', async () => {
  const website = await world.pages.addWebsite({ privacy: 'public' });
  await world.pages.addHits(website, [{ visitor: 1n }]);
  const context = await contextOf('nobody', { viewport: { width: 320, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${world.url}/statistics/${website.id}/by/source`);
  const seen = async (cells: string) => (await page.locator(cells).locator('visible=true').allTextContents()).slice(1);

  const before = await seen('.whole thead th');
  await page.getByRole('navigation', { name: 'Column' }).getByRole('link', { name: 'Bounce rate' }).click();

  expect(before).toEqual(['Visitors']);
  expect(await seen('.whole thead th')).toEqual(['Bounce rate']);
  expect(await page.locator('.whole tbody td').locator('visible=true').allTextContents()).toEqual(['100\u00a0%']);
  await context.close();
});

test('the card of goals shows names and large sums at every width', async () => {
  const website = await world.pages.addWebsite({ privacy: 'public' });
  await definer(world.pages, website).addGoal({ name: 'Newsletter signup', event: 'Signup', sum: 'amount' });
  await world.pages.addHits(website, [{ name: 'Signup', props: { amount: '12345678901.5' } }]);
  const context = await contextOf('nobody', {});
  const page = await context.newPage();
  await page.goto(`${world.url}/statistics/${website.id}`);
  const card = page.locator('#goals');

  expect(await card.locator('td').last().textContent()).toBe('12,345,678,901.50');
  for (const width of [320, 390, 800, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const edge = await card.evaluate((element) => element.getBoundingClientRect().right);
    const sum = await card
      .locator('td data')
      .last()
      .evaluate((element) => element.getBoundingClientRect().right);
    const name = await card.locator('.label bdi').evaluate((element) => element.clientHeight);

    expect([width, sum < edge]).toEqual([width, true]);
    // Its two words have a line each at most.
    expect(name).toBeLessThan(3 * 20);
  }
  await context.close();
});

test('a print has the filters, and nothing to click', async () => {
  const context = await contextOf('owner', {});
  const page = await context.newPage();
  await page.emulateMedia({ media: 'print' });
  await page.goto(`${world.url}/statistics/${world.busy.id}?country=DE`);

  const isVisible = (text: string) => page.getByText(text, { exact: true }).first().isVisible();
  expect(await Promise.all(['Country is Germany', '28 days', 'Sources'].map(isVisible))).toEqual([true, true, true]);
  const controls = ['Add a filter', 'Segments', 'Today', 'Settings', 'CSV', 'Table'];
  expect(await Promise.all(controls.map(isVisible))).toEqual(controls.map(() => false));
  await context.close();
});

test('a long value in Hebrew is cut at its end, the left side', async () => {
  const website = await world.pages.addWebsite({ privacy: 'public' });
  await world.pages.addHits(website, [
    { visitor: 1n, source: 'שלום' },
    { visitor: 2n, source: `שלום ${'עולם '.repeat(40)}` },
  ]);
  const context = await contextOf('nobody', { viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${world.url}/statistics/${website.id}`);
  const [short, long] = await page.locator('#sources .list:not([hidden]) .label').evaluateAll((labels) =>
    labels.map((label) => {
      const box = label.getBoundingClientRect();
      const text = document.createTreeWalker(label, NodeFilter.SHOW_TEXT).nextNode();
      const range = document.createRange();
      if (text !== null) {
        range.setStart(text, 0);
        range.setEnd(text, 1);
      }
      const first = range.getBoundingClientRect();
      return { isVisible: first.left >= box.left && first.right <= box.right, fromLeft: first.left - box.left };
    }),
  );

  expect(long?.isVisible).toBe(true);
  // Short values are next to the others, at the left.
  expect(short?.fromLeft).toBeLessThan(60);
  await context.close();
});

test('the page of a website without visits shows its owner the first one', async () => {
  const website = await world.pages.addWebsite({ privacy: 'private' });
  const context = await contextOf('owner', {});
  const page = await context.newPage();
  await page.goto(`${world.url}/statistics/${website.id}`);
  await page.getByText('Waiting for the first visit').waitFor();

  await world.pages.addHits(website, [{ visitor: 1n }]);

  await page.locator('.figures [data-metric="visitors"]', { hasText: '1' }).waitFor();
  expect(await page.getByText('Waiting for the first visit').count()).toBe(0);
  await context.close();
});

const MENUS = ['Other days', 'Add a filter', 'Compare with'];

describe.each([1280, 390])('the menus at %d px', (width) => {
  test('close when another one is opened, with Escape, which leads back to the menu, and by a click outside', async () => {
    const context = await contextOf('nobody', { viewport: { width, height: 2_000 } });
    const page = await context.newPage();
    await page.goto(`${world.url}${world.states.find(({ name }) => name === 'statistics')?.path}`);
    const address = page.url();
    const click = (menu: string) => page.locator('.menu > summary', { hasText: menu }).click();
    const openMenus = () => page.locator('.menu[open] > summary').allTextContents();

    for (const menu of ['Other days', 'Add a filter', 'Other days']) {
      await click(menu);
      expect(await openMenus()).toEqual([menu]);
    }
    await page.keyboard.press('Escape');
    for (const menu of MENUS) {
      await click(menu);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Escape');
      expect([await openMenus(), await page.locator(':focus').textContent()]).toEqual([[], menu]);

      await click(menu);
      await page.locator('.menu[open] > :not(summary)').click({ position: { x: 5, y: 5 } });
      expect(await openMenus()).toEqual([menu]);
      await page.mouse.click(5, 5);
      expect(await openMenus()).toEqual([]);
      await click(menu);
      // A link outside is not followed.
      const link = await page.locator('.list-foot a').first().boundingBox();
      await page.mouse.click((link?.x ?? 0) + 5, (link?.y ?? 0) + 5);
      expect([await openMenus(), page.url()]).toEqual([[], address]);
    }
    await context.close();
  });
});

describe('the statistics page without a mouse or scripts', () => {
  const path = world.states.find(({ name }) => name === 'statistics')?.path;

  test('begins with a link to its numbers, which is seen when it has the focus', async () => {
    const context = await contextOf('owner', {});
    const page = await context.newPage();
    await page.goto(`${world.url}${path}`);

    await page.keyboard.press('Tab');
    const skip = page.locator(':focus');
    expect(await skip.textContent()).toBe('Skip to the numbers');
    expect((await skip.boundingBox())?.width).toBeGreaterThan(100);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');

    expect(await page.locator('.figures a:focus').textContent()).toContain('Visitors');
    await context.close();
  });

  test('has a menu of comparisons', async () => {
    const context = await contextOf('nobody', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}${path}`);

    await page.locator('summary', { hasText: 'Compare with' }).click();
    await page.getByRole('link', { name: 'Nothing' }).click();

    await page.waitForURL(/[?&]compare=none/);
    expect(await page.getByText('Compared with').count()).toBe(0);
    await context.close();
  });
});

describe('the form that adds a filter', () => {
  const path = world.states.find(({ name }) => name === 'statistics')?.path;

  test('fetches suggestions when it opens and when its subject changes', async () => {
    const context = await contextOf('nobody', {});
    const page = await context.newPage();
    await page.goto(`${world.url}${path}`);
    const suggested = (value: string) =>
      page.locator(`#suggestions option[value="${value}"]`).waitFor({ state: 'attached' });

    await page.locator('summary', { hasText: 'Add a filter' }).click();
    await suggested('/{{7*7}} <%= 7*7 %>');
    await page.getByLabel('Filter by').selectOption('Country');
    await suggested('Germany');
    await page.getByLabel('Value').fill('Germany');
    await page.getByRole('button', { name: 'Add' }).click();

    await page.locator('.filter', { hasText: 'Country is Germany' }).waitFor();
    await context.close();
  });

  test('works without scripts', async () => {
    const context = await contextOf('nobody', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}${path}`);

    await page.locator('summary', { hasText: 'Add a filter' }).click();
    expect(await page.getByLabel('Name of the property').isVisible()).toBe(false);
    await page.getByLabel('Filter by').selectOption('Country');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('#suggestions option[value="Germany"]').waitFor({ state: 'attached' });
    await page.getByLabel('Comparison').selectOption('is not');
    await page.getByLabel('Value').fill('Germany');
    await page.getByRole('button', { name: 'Add' }).click();

    await page.locator('.filter', { hasText: 'Country is not Germany' }).waitFor();
    await context.close();
  });
});
