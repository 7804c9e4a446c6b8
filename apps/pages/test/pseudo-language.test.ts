import { startBrowser } from '@hitherto/testing/browser';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HOSTILE } from './support/hostile-data.ts';
import { contextOf } from './support/open-state.ts';
import { pseudoLocale, untranslatedIn } from './support/pseudo-locale.ts';
import { startStates } from './support/states.ts';

/** Data of people, websites and the installation on the pages, and names that are the same in each language. */
const DATA = [
  ...[
    'Hitherto',
    'Ægir',
    'Söhne',
    'Staff',
    'UTC',
    'amp',
    'lt',
    'gt',
    'quot',
    'https',
    'http',
    'test',
    'CSV',
    'Sum',
    'utm',
  ],
  ...[
    'English',
    'Deutsch',
    'Français',
    'Español',
    'Germany',
    'France',
    'Austria',
    'Javanese',
    'German',
    'Firefox',
    'Linux',
    'Europe',
    'Berlin',
    'strict',
    'Signup',
    'amount',
  ],
  // Of hostile names, without the characters that are no letters.
  ...['db8', 'srcx', 'onerroralert', 'onloadalert'],
  ...['Umami', 'Fathom', 'GoatCounter', 'Simple', 'Analytics', 'Matomo', 'access', 'logs', 'Plausible'],
  // Dates are those of `Intl`, as it writes them in English.
  ...['Jan', 'Sept', 'Oct', 'Nov', 'November', 'to', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
];
const NAMES = /\.example\b|@example\.com$|^x+\d*$|^M+$|^(?:محمد)+$|^مرحبا$/;

/** The pages of the gallery, in a language from left to right or from right to left. Forms are as they are opened. */
async function startInPseudo(direction: 'ltr' | 'rtl') {
  const world = await startStates(pseudoLocale(direction));
  const seen = new Map(world.states.map((state) => [`${state.as} ${state.path}`, state]));
  return { ...world, states: [...seen.values()] };
}

test('every text of every page is translated or data', async () => {
  const { pages, sessions, states } = await startInPseudo('ltr');
  onTestFinished(() => pages.app.close());
  const hostile = HOSTILE.join(' ');
  const isData = (word: string) => DATA.includes(word) || NAMES.test(word) || hostile.includes(word);
  const found: (readonly string[])[] = [];
  for (const { name, path, as } of states) {
    const cookies = as === 'nobody' ? {} : { hitherto_session: sessions[as] };
    const { status, text } = await pages.send('GET', path, { cookies });
    if (status === 303) continue;
    if (!text.includes('⟦')) found.push([name, 'has no translated text']);
    const left = [...new Set(untranslatedIn(text))].filter((word) => !isData(word));
    if (left.length > 0) found.push([name, ...left]);
  }

  expect(states.length).toBeGreaterThan(90);
  expect(found).toEqual([]);
}, 60_000);

describe('no page scrolls sideways on a phone', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  test.each(['ltr', 'rtl'] as const)(
    'with long words, %s',
    async (direction) => {
      const world = await startInPseudo(direction);
      onTestFinished(() => world.pages.app.close());
      const wide: string[] = [];
      for (const as of ['nobody', 'owner', 'guarded'] as const) {
        const context = await contextOf(browser, world, as, { viewport: { width: 390, height: 800 } });
        const page = await context.newPage();
        for (const { name, path } of world.states.filter((state) => state.as === as)) {
          await page.goto(`${world.url}${path}`);
          expect(await page.evaluate('document.documentElement.dir')).toBe(direction);
          if (Number(await page.evaluate('document.documentElement.scrollWidth')) > 390) wide.push(name);
        }
        await context.close();
      }

      expect(wide).toEqual([]);
    },
    120_000,
  );
});
