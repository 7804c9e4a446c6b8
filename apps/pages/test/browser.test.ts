import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { startBrowser } from '@hitherto/testing/browser';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { type State, startStates } from './support/states.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const world = await startStates();
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await world.pages.app.close();
});

/** What a browser noticed while it showed a page. */
interface Noticed {
  readonly foreign: string[];
  readonly messages: string[];
}

async function contextOf(as: State['as'], options: Parameters<Browser['newContext']>[0]): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  if (as === 'owner') await context.addCookies([{ name: 'hitherto_session', value: world.session, url: world.url }]);
  return context;
}

async function show(context: BrowserContext, state: State): Promise<Noticed & { readonly page: Page }> {
  const page = await context.newPage();
  const noticed: Noticed = { foreign: [], messages: [] };
  page.on('request', (request) => {
    if (!request.url().startsWith(`${world.url}/`)) noticed.foreign.push(request.url());
  });
  page.on('console', (message) => noticed.messages.push(message.text()));
  page.on('pageerror', (error) => noticed.messages.push(String(error)));
  page.on('dialog', (dialog) => noticed.messages.push(`dialog: ${dialog.message()}`));
  await page.goto(`${world.url}${state.path}`);
  if (state.form !== undefined) {
    for (const [name, value] of Object.entries(state.form)) {
      // The browser's own validation would not send invalid forms.
      await page.locator(`[name="${name}"]`).fill(value);
    }
    await page.locator('main form').evaluateAll((forms) => forms.map((form) => form.setAttribute('novalidate', '')));
    await page.locator('main form button[type="submit"]', { hasText: state.button ?? '' }).click();
    await page.waitForLoadState();
  }
  return { page, ...noticed };
}

describe.each(world.states)('$name', (state) => {
  let context: BrowserContext;
  let shown: Awaited<ReturnType<typeof show>>;

  // Loading a page costs more than looking at it, and neither colors nor layout depend on how it began.
  beforeAll(async () => {
    context = await contextOf(state.as, {});
    shown = await show(context, state);
    await shown.page.evaluate(axe);
  });
  afterAll(() => context.close());

  // Only colors depend on the scheme.
  test.each([
    ['light', 'axe.run()'],
    ['dark', "axe.run({ runOnly: ['color-contrast'] })"],
  ] as const)(
    'has no accessibility violation in %s, and requests nothing from other origins',
    async (colorScheme, look) => {
      const { page, foreign, messages } = shown;
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.emulateMedia({ colorScheme });

      const { violations } = (await page.evaluate(look)) as AxeResults;

      expect(violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
      expect(foreign).toEqual([]);
      // A browser reports every response from 400 up.
      expect(messages.filter((message) => !message.startsWith('Failed to load resource'))).toEqual([]);
    },
  );

  test('fits a phone without scrolling sideways', async () => {
    const { page } = shown;
    await page.setViewportSize({ width: 360, height: 800 });

    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
});

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

test.each([
  [390, 5],
  [390, 7],
  [320, 5],
  [320, 7],
])('a whole list at %d px has the heads of its %d columns above their numbers', async (width, columns) => {
  const website = await world.pages.addWebsite({ privacy: 'public' });
  const goal = await definer(world.pages, website).addGoal({ name: 'All', page: '/*' });
  const visits = Array.from({ length: 1_200 }, (_, index) => ({ visitor: BigInt(index) }));
  await world.pages.addHits(website, visits);
  const context = await contextOf('nobody', { viewport: { width, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${world.url}/statistics/${website.id}/by/source${columns === 7 ? `?conversion=${goal.id}` : ''}`);
  const boxesOf = (cells: string) =>
    page.locator(cells).evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().toJSON()));

  const [heads, cells] = [await boxesOf('.whole thead th:nth-child(n + 2)'), await boxesOf('.whole tbody td')];

  expect(heads.map(({ top }) => top)).toEqual(Array.from({ length: columns }, () => heads[0]?.top));
  const middles = cells.map(({ left, right }) => (left + right) / 2);
  expect(heads.map(({ left, right }, index) => left < (middles[index] ?? 0) && (middles[index] ?? 0) < right)).toEqual(
    cells.map(() => true),
  );
  await context.close();
});

describe('the card of goals', () => {
  test.each([320, 390, 800, 1280])('shows names and large sums at %d px', async (width) => {
    const website = await world.pages.addWebsite({ privacy: 'public' });
    await definer(world.pages, website).addGoal({ name: 'Newsletter signup', event: 'Signup', sum: 'amount' });
    await world.pages.addHits(website, [{ name: 'Signup', props: { amount: '12345678901.5' } }]);
    const context = await contextOf('nobody', { viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${world.url}/statistics/${website.id}`);
    const card = page.locator('#goals');

    const edge = await card.evaluate((element) => element.getBoundingClientRect().right);
    const sum = await card
      .locator('td data')
      .last()
      .evaluate((element) => element.getBoundingClientRect().right);
    const name = await card.locator('.label bdi').evaluate((element) => element.clientHeight);

    expect(await card.locator('td').last().textContent()).toBe('12,345,678,901.50');
    expect(sum).toBeLessThan(edge);
    // Its two words have a line each at most.
    expect(name).toBeLessThan(3 * 20);
    await context.close();
  });
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

describe('the snippet', () => {
  const state = world.states.find(({ name }) => name === 'snippet');

  test('is copied by its button, the only script', async () => {
    const context = await contextOf('owner', { permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${world.url}${state?.path}`);

    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();

    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `<script defer src="${world.url}/script.js" data-website="${world.busy.id}"></script>`,
    );
    await context.close();
  });

  test('is visible without scripts, and the button is not', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${world.url}${state?.path}`);

    expect(await page.getByText('data-website').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0);
    await context.close();
  });
});

describe('the forms of goals, funnels and segments', () => {
  const pathOf = (page: string) => `${world.url}/websites/${world.empty.id}/${page}`;

  test('work without scripts: only the fields of the chosen rule are visible', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${pathOf('goals')}/new`);

    await page.getByLabel('Name', { exact: true }).fill('Thanks');
    expect(await page.getByLabel('Page', { exact: true }).isVisible()).toBe(false);
    await page.getByLabel('A pageview').check();
    expect(await page.getByLabel('Name of the event').isVisible()).toBe(false);
    await page.getByLabel('Page', { exact: true }).fill('/über');
    await page.getByRole('button', { name: 'Preview' }).click();
    expect(await page.getByRole('status').textContent()).toContain('It did not happen.');
    await page.getByRole('button', { name: 'Save' }).click();

    expect(new URL(page.url()).search).toBe('?saved');
    expect(await page.getByRole('listitem').textContent()).toContain('Page is /über');
    await page.getByRole('link', { name: 'Delete Thanks' }).click();
    await page.getByRole('button', { name: 'Delete the goal' }).click();
    expect(await page.getByRole('listitem').count()).toBe(0);
    await context.close();
  });

  test('save when Enter is pressed, whatever other buttons they have', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${pathOf('funnels')}/new`);
    await page.getByLabel('Name', { exact: true }).fill('Purchase');
    for (const step of ['a', 'b']) {
      const fields = page.getByRole('group', { name: `Step ${step === 'a' ? 1 : 2}` });
      await fields.getByLabel('Name of the step').fill(step);
      await fields.getByLabel('Page', { exact: true }).fill(`/${step}`);
    }

    await page.getByLabel('Page', { exact: true }).nth(1).press('Enter');

    expect(new URL(page.url()).search).toBe('?saved');
    expect(await page.getByRole('listitem').textContent()).toContain('a (Page is /a), then b (Page is /b)');
    await context.close();
  });

  test('keep an empty first line, which stands for no value', async () => {
    const context = await contextOf('owner', { javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(
      `${pathOf('segments')}/new?${encodeURIComponent('props[plan]')}=&${encodeURIComponent('props[plan]')}=pro`,
    );
    const values = page.getByLabel('Values').first();
    expect(await values.inputValue()).toBe('\npro');

    await page.getByLabel('Name', { exact: true }).fill('Plans');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('listitem').textContent()).toContain('Property plan is empty or pro');
    await page.getByRole('link', { name: 'Change Plans' }).click();

    expect(await values.inputValue()).toBe('\npro');
    await context.close();
  });
});
