import { randomBytes } from 'node:crypto';
import { prepareSetup } from '@hitherto/domain/people';
import { newId } from '@hitherto/outside/system';
import { startBrowser } from '@hitherto/testing/browser';
import { totpCode } from '@hitherto/testing/totp-code';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formAt, postForm } from './support/owner.ts';
import { type PagesUnderTest, startPages } from './support/pages.ts';

// Passkeys (people.md, "Passkeys"), with a virtual device in a real browser.

const PASSWORD = 'correct horse battery';
const EMAIL = 'owner@example.com';
const APP = '/you/second-factor/app';

const browser = await startBrowser();
let pages: PagesUnderTest;
let url: string;

beforeAll(async () => {
  pages = await startPages();
  // Passkeys belong to a name, not to an address.
  url = (await pages.app.listen({ host: '127.0.0.1', port: 0 })).replace('127.0.0.1', 'localhost');
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
  const token = await prepareSetup(deps, pages.accountId, undefined);
  const form = { email: EMAIL, name: 'é 🦊', password: PASSWORD };
  const { cookies } = await postForm(pages, `/setup/${token}`, form);
  const { secret = '' } = formAt((await pages.send('GET', APP, { cookies })).text, APP) ?? {};
  const code = totpCode(secret, pages.clock.now());
  await postForm(pages, APP, { secret, code, current_password: PASSWORD }, { cookies });
  pages.clock.advance(30_000);
  signInWithCode = async (page) => {
    await signInWithPassword(page);
    await page.getByLabel('Code').fill(totpCode(secret, pages.clock.now()));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Sign out').waitFor();
    pages.clock.advance(30_000);
  };
});

afterAll(async () => {
  await browser.close();
  await pages.app.close();
});

let signInWithCode: (page: Page) => Promise<void>;

async function signInWithPassword(page: Page): Promise<void> {
  await page.goto(url);
  await page.getByLabel('E-mail address').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** A page in a browser of its own, with a device that knows its user, or does not. */
async function openPage(isUserVerified = true) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  });
  const setVerified = (is: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: is });
  return { context, page, faults, setVerified };
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${url}/you/passkeys/new`);
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Present password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.waitForURL(/saved/);
}

describe('a passkey', () => {
  test('stands for the password and the code, or for the code alone, until it is removed', async () => {
    const { context, page, faults } = await openPage();
    await signInWithCode(page);
    await addPasskey(page, 'my <b>device</b>');
    expect(await page.getByText('my <b>device</b>').isVisible()).toBe(true);

    await context.clearCookies();
    await page.goto(`${url}/you`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    // On to where it began.
    await page.waitForURL(`${url}/you`);
    expect(await page.getByText('é 🦊').first().isVisible()).toBe(true);

    await context.clearCookies();
    await signInWithPassword(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Sign out').waitFor();

    await page.goto(`${url}/you`);
    await page.locator('#passkeys-password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Remove the passkey' }).click();
    await page.waitForURL(/saved/);
    await context.clearCookies();
    await page.goto(url);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('not known here').waitFor();
    expect(faults.filter((fault) => !fault.includes('403'))).toEqual([]);
    await context.close();
  });

  test('of a device that does not know its user signs nobody in', async () => {
    const { context, page, setVerified } = await openPage();
    await signInWithCode(page);
    await addPasskey(page, 'one');
    await setVerified(false);
    await context.clearCookies();
    await page.goto(url);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();

    await page.getByText('could not do this').waitFor();
    await context.close();
  });

  test('counts for one sign-in in one browser: what it has signed cannot be sent again', async () => {
    const { context, page } = await openPage();
    await signInWithCode(page);
    await addPasskey(page, 'two');
    await context.clearCookies();
    await page.goto(url);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Passkey' }).waitFor();
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const passkey = new URLSearchParams((await sent).postData() ?? '').get('passkey') ?? '';
    await page.getByText('Sign out').waitFor();

    const headers = { origin: url, host: new URL(url).host };
    const again = async () => {
      const { cookies } = await postForm(pages, '/sign-in/passkey', {}, { headers });
      return postForm(pages, '/sign-in/second-factor', { passkey }, { cookies, headers });
    };
    const replayed = await again();
    expect([replayed.status, replayed.text]).toEqual([403, expect.stringContaining('not known here')]);
    for (const said of ['', '{}', '[]', 'null', passkey.replace('public-key', 'x'), `${passkey}x`, '{"id":1}']) {
      const { cookies } = await postForm(pages, '/sign-in/passkey', {}, { headers });
      const { status } = await postForm(pages, '/sign-in/second-factor', { passkey: said }, { cookies, headers });
      expect([said.slice(0, 20), status]).toEqual([said.slice(0, 20), 403]);
    }
    // Without a person there is no code to guess.
    const { cookies } = await postForm(pages, '/sign-in/passkey', {}, { headers });
    expect((await postForm(pages, '/sign-in/second-factor', { code: '000000' }, { cookies, headers })).status).toBe(
      403,
    );
    await context.close();
  });
});
