import { randomBytes } from 'node:crypto';
import { unsubscribeToken } from '@hitherto/domain/reports';
import { startBrowser } from '@hitherto/testing/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { unsubscribePath } from '../src/shared/paths.ts';
import { HOSTILE } from './support/hostile-data.ts';
import { PASSWORD_HASH, startPages } from './support/pages.ts';
import { addPeople, PROVIDER } from './support/people.ts';
import { pseudoLocale, untranslatedIn } from './support/pseudo-locale.ts';

/** What the pages show of people, websites and the installation. */
const DATA = [
  ...['Hitherto', 'Ægir', 'Söhne', 'Staff', 'UTC', 'amp', 'lt', 'gt', 'quot', 'https', 'http', 'test'],
  ...['shop.example', 'guarded.example', 'owner@example.com', 'guarded@example.com', 'English', 'Deutsch', 'Français'],
  ...['Español', 'x'.repeat(40), `${'long-name.'.repeat(6)}x@example.com`],
];

/** The pages of people in a language from left to right, or from right to left. */
async function startInPseudo(direction: 'ltr' | 'rtl') {
  const pages = await startPages({ locale: pseudoLocale(direction), mailsPeople: true, provider: PROVIDER });
  const website = await pages.addWebsite({ url: 'https://shop.example', emailReports: true });
  const locked = await pages.addWebsite({
    url: 'https://guarded.example',
    privacy: 'password',
    passwordHash: PASSWORD_HASH,
  });
  const people = await addPeople(pages, website);
  const secrets = { ...pages.repositories, randomBytes };
  const unsubscribe = async (kind: 'weekly' | 'monthly') =>
    unsubscribePath(website.id, await unsubscribeToken(secrets, website.id, { kind }));
  const account = `/accounts/${pages.accountId}`;
  const paths: Readonly<Record<string, string>> = {
    'the sign-in': '/',
    'a forgotten password': '/forgot',
    'the first start': people.setup,
    'an invitation': people.invitation,
    'a link that signs in': people.reset,
    'a password for statistics': `/statistics/${locked.id}`,
    'a missing page': '/statistics/x',
    'weekly reports to stop': await unsubscribe('weekly'),
    'monthly reports that are off': await unsubscribe('monthly'),
    you: '/you',
    'a second factor to turn on': '/you/second-factor/app',
    'a new passkey': '/you/passkeys/new',
    people: `${account}/people`,
    'a member': `${account}/people/${people.member}`,
    keys: `${account}/keys`,
    account,
  };
  return { pages, paths, sessions: people.sessions };
}

let started: Awaited<ReturnType<typeof startInPseudo>>;
beforeAll(async () => {
  started = await startInPseudo('ltr');
});

const OWNED = ['you', 'a second factor to turn on', 'people', 'a member', 'keys', 'account'];
const GUESTS = [
  ...['the sign-in', 'a forgotten password', 'the first start', 'an invitation', 'a link that signs in'],
  ...['a password for statistics', 'a missing page', 'weekly reports to stop', 'monthly reports that are off'],
];

describe('every text is translated or data', () => {
  test.each([
    ...GUESTS.map((name) => [name, undefined] as const),
    ...OWNED.map((name) => [name, 'owner'] as const),
    ...['you', 'a new passkey'].map((name) => [name, 'guarded'] as const),
  ])('on the page of %s, seen by %s', async (name, as) => {
    const { pages, paths, sessions } = started;
    const cookies = as === undefined ? undefined : { hitherto_session: sessions[as] };

    const { status, text } = await pages.send('GET', paths[name] ?? '', cookies === undefined ? {} : { cookies });

    expect([200, 404]).toContain(status);
    expect(text).toContain('⟦');
    const hostile = HOSTILE.join(' ');
    const left = untranslatedIn(text).filter((word) => !DATA.includes(word) && !hostile.includes(word));
    expect([...new Set(left)]).toEqual([]);
  });
});

describe('no page scrolls sideways on a phone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test.each(['ltr', 'rtl'] as const)('with long words, %s', async (direction) => {
    const { pages, paths, sessions } = await startInPseudo(direction);
    const url = await pages.app.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(() => pages.app.close());
    const wide: string[] = [];
    for (const [as, names] of [
      [undefined, GUESTS],
      ['owner', OWNED],
      ['guarded', ['you', 'a new passkey']],
    ] as const) {
      const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
      if (as !== undefined) await context.addCookies([{ name: 'hitherto_session', value: sessions[as], url }]);
      const page = await context.newPage();
      for (const name of names) {
        await page.goto(`${url}${paths[name]}`);
        expect(await page.evaluate('document.documentElement.dir')).toBe(direction);
        if (Number(await page.evaluate('document.documentElement.scrollWidth')) > 390) wide.push(name);
      }
      await context.close();
    }

    expect(wide).toEqual([]);
  });
});
