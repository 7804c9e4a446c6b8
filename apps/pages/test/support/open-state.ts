import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { State, startStates } from './states.ts';

type World = Pick<Awaited<ReturnType<typeof startStates>>, 'sessions' | 'url'>;

/** A context of the browser, signed in as the viewer of the state. */
export async function contextOf(
  browser: Browser,
  { sessions, url }: World,
  as: State['as'],
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  if (as !== 'nobody') await context.addCookies([{ name: 'hitherto_session', value: sessions[as], url }]);
  return context;
}

/** Opens a page in one of its states: fills in its form and sends it, if the state has one. */
export async function openState(page: Page, url: string, { path, cookies, form, button }: State): Promise<void> {
  await page.context().addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url })));
  await page.goto(`${url}${path}`);
  if (form === undefined) return;
  const submit =
    button === undefined
      ? page.locator('button[type="submit"]')
      : page.getByRole('button', { name: button, exact: true });
  const filled = page.locator('main form', { has: submit });
  for (const [name, value] of Object.entries(form)) await filled.locator(`[name="${name}"]`).fill(value);
  // The browser's own validation would not send invalid forms.
  await page.locator('main form').evaluateAll((forms) => forms.map((each) => each.setAttribute('novalidate', '')));
  await filled.locator(submit).click();
  await page.waitForLoadState();
}
