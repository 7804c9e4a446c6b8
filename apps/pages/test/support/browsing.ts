import { startBrowser } from '@hitherto/testing/browser';
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { contextOf } from './open-state.ts';
import { type State, startStates } from './states.ts';

/** The pages in every state and a browser to show them, both until the tests of the file have ended. */
export async function startBrowsing() {
  const [world, browser] = await Promise.all([startStates(), startBrowser()]);
  afterAll(async () => {
    await browser.close();
    await world.pages.app.close();
  });
  return {
    world,
    contextOf: (as: State['as'], options: Parameters<Browser['newContext']>[0]) =>
      contextOf(browser, world, as, options),
  };
}
