import { randomBytes } from 'node:crypto';
import { prepareSetup } from '@hitherto/domain/people';
import { createIdentityProvider } from '@hitherto/outside/identity-provider';
import { newId } from '@hitherto/outside/system';
import { startBrowser } from '@hitherto/testing/browser';
import { freePort } from '@hitherto/testing/free-port';
import { startIdentityProvider } from '@hitherto/testing/identity-provider';
import { afterAll, expect, test } from 'vitest';
import { startPages } from './support/pages.ts';

// Sign-in through a provider in a browser: its policies and cookies, without scripts.

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const callbackUrl = `${origin}/sign-in/oidc/callback`;
const name = 'x'.repeat(40);
const [provider, browser] = await Promise.all([startIdentityProvider({ callbackUrl }), startBrowser()]);
const client = createIdentityProvider({ ...provider, name, callbackUrl, groupsClaim: undefined });
const pages = await startPages({
  publicUrl: origin,
  provider: { client, sessionMs: 60 * 60 * 1000, groupRules: undefined },
});
await pages.app.listen({ host: '127.0.0.1', port });
afterAll(async () => {
  await browser.close();
  await Promise.all([pages.app.close(), provider.close()]);
});

const setupPath = async (accountId: string) =>
  `/setup/${await prepareSetup({ ...pages.repositories, now: pages.clock.now, newId, randomBytes }, accountId, undefined)}`;

test('leads from the first start to the first page, and back to the page that was asked for', async () => {
  provider.user = { sub: 'owner', email: 'owner@example.com', email_verified: true, name: 'Ægir' };
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();

  await page.goto(`${origin}${await setupPath(pages.accountId)}`);
  await page.getByRole('button', { name: `Sign in with ${name}` }).click();
  await page.waitForURL(`${origin}/`);
  expect(await page.getByRole('link', { name: 'Ægir' }).isVisible()).toBe(true);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.goto(`${origin}/webhooks`);
  await page.getByRole('link', { name: `Sign in with ${name}` }).click();
  await page.waitForURL(`${origin}/accounts/${pages.accountId}/webhooks`);
  const cookies = (await context.cookies(origin)).map((cookie) => cookie.name);
  expect(cookies.filter((cookie) => cookie.startsWith('hitherto'))).toEqual(['hitherto_session']);
  await context.close();
});
