import { startBrowser } from '@hitherto/testing/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll } from 'vitest';
import { type State, startStates } from './states.ts';

/** The pages in every state and a browser to show them, both until the tests of the file have ended. */
export async function startBrowsing() {
  const [world, browser] = await Promise.all([startStates(), startBrowser()]);
  afterAll(async () => {
    await browser.close();
    await world.pages.app.close();
  });

  async function contextOf(as: State['as'], options: Parameters<Browser['newContext']>[0]): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    if (as === 'owner') await context.addCookies([{ name: 'hitherto_session', value: world.session, url: world.url }]);
    return context;
  }
  return { world, contextOf };
}
