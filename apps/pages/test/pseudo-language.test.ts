import { startBrowser } from '@hitherto/testing/browser';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { HOSTILE } from './support/hostile-data.ts';
import { contextOf, openState } from './support/open-state.ts';
import { bracketed, pseudoLocale, untranslatedIn } from './support/pseudo-locale.ts';
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
    'Ünïcode',
  ],
  // Of hostile names, without the characters that are no letters.
  ...['db8', 'srcx', 'onerroralert', 'onloadalert'],
  ...['Umami', 'Fathom', 'GoatCounter', 'Simple', 'Analytics', 'Matomo', 'access', 'logs', 'Plausible'],
  // Dates are those of `Intl`, as it writes them in English.
  ...['Jan', 'Sept', 'Oct', 'Nov', 'November', 'to', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
];
const NAMES = /\.example\b|@example\.com$|^x+\d*$|^M+$|^(?:محمد)+$|^مرحبا$/;

describe('in a language of brackets, 40 % longer than English', async () => {
  const { pages, sessions, states, url } = await startStates(pseudoLocale());
  afterAll(() => pages.app.close());
  // Forms are as they are opened.
  const shown = [...new Map(states.map((state) => [`${state.as} ${state.path}`, state])).values()];

  const hostile = HOSTILE.join(' ');
  const isData = (word: string) => DATA.includes(word) || NAMES.test(word) || hostile.includes(word);
  const leftIn = (html: string) => [...new Set(untranslatedIn(html))].filter((word) => !isData(word));

  test('every text of every page is translated or data', async () => {
    const found: (readonly string[])[] = [];
    for (const { name, path, as, cookies: own } of shown) {
      const cookies = as === 'nobody' ? own : { hitherto_session: sessions[as] };
      const { status, text } = await pages.send('GET', path, { cookies });
      if (status === 303) continue;
      if (!text.includes('⟦')) found.push([name, 'has no translated text']);
      const left = leftIn(text);
      if (left.length > 0) found.push([name, ...left]);
    }

    expect(shown.length).toBeGreaterThan(90);
    expect(found).toEqual([]);
  });

  test('every answer to a form is, too', async () => {
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const found: (readonly string[])[] = [];
    for (const as of ['nobody', 'owner', 'guarded'] as const) {
      const context = await contextOf(browser, { sessions, url }, as);
      const page = await context.newPage();
      const sent = states.filter(({ form, as: by }) => form !== undefined && by === as);
      for (const state of sent) {
        const { button } = state;
        await openState(page, url, { ...state, button: button === undefined ? undefined : bracketed(button) });
        const left = leftIn((await page.content()).replaceAll('&nbsp;', ' '));
        if (left.length > 0) found.push([state.name, ...left]);
      }
      await context.close();
    }

    expect(found).toEqual([]);
  });

  test('no page scrolls sideways on a phone, from left to right and from right to left', async () => {
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const wide: string[] = [];
    for (const as of ['nobody', 'owner', 'guarded'] as const) {
      const context = await contextOf(browser, { sessions, url }, as, { viewport: { width: 390, height: 800 } });
      const page = await context.newPage();
      for (const { name, path } of shown.filter((state) => state.as === as)) {
        await page.goto(`${url}${path}`);
        for (const direction of ['ltr', 'rtl']) {
          const width = await page.evaluate(
            `document.documentElement.dir = '${direction}', document.documentElement.scrollWidth`,
          );
          if (Number(width) > 390) wide.push(`${name}, ${direction}`);
        }
      }
      await context.close();
    }

    expect(wide).toEqual([]);
    // More than a hundred pages.
  }, 300_000);
});
