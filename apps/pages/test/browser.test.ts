import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowsing } from './support/browsing.ts';
import { openState } from './support/open-state.ts';
import type { State } from './support/states.ts';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const { world, contextOf } = await startBrowsing();

/** What a browser noticed while it showed a page. */
interface Noticed {
  readonly foreign: string[];
  readonly messages: string[];
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
  await openState(page, world.url, state);
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

  // Only colors depend on the scheme. Describing what violates no rule takes longer than finding that out.
  test.each([
    ['light', "axe.run({ resultTypes: ['violations'], selectors: false })"],
    ['dark', "axe.run({ resultTypes: ['violations'], selectors: false, runOnly: ['color-contrast'] })"],
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
