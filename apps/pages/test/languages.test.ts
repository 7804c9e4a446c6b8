import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { SESSION_MS, startSession } from '@hitherto/domain/people';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { pseudoLocale } from '@hitherto/testing/pseudo-locale';
import { localeOf } from '@hitherto/words';
import { describe, expect, test } from 'vitest';
import { postForm } from './support/owner.ts';
import { NO_BROWSER, startPagesForTest } from './support/pages.ts';
import { addPeople } from './support/people.ts';

describe('the language of a page', () => {
  test.each([
    ['the language of the address', '?lang=fr', 'de', 'fr'],
    ['the language of the browser', '', 'de-AT,en;q=0.5', 'de'],
    ['the language of the installation, where no other is known', '', 'ja', 'es'],
    ['the language of the installation, where the address asks for an unknown one', '?lang=xx', undefined, 'es'],
  ])('is %s', async (_name, query, accepted, language) => {
    const pages = await startPagesForTest({ locale: localeOf('es') });
    const path = `/statistics/${(await pages.addWebsite({ privacy: 'public' })).id}`;

    const { status, headers, text } = await pages.send('GET', `${path}${query}`, { headers: accepting(accepted) });

    expect(status).toBe(200);
    expect(text).toContain(`<html lang="${language}" dir="ltr"`);
    expect(headers).toMatchObject({
      'content-language': language,
      vary: expect.stringContaining('Accept-Language'),
    });
  });

  test('is kept in the links of a statistics page', async () => {
    const pages = await startPagesForTest();
    const path = `/statistics/${(await pages.addWebsite({ privacy: 'public' })).id}`;

    const { text } = await pages.send('GET', `${path}?lang=de`);

    expect(text).toContain(`href="${path}?period=7d&amp;lang=de">7 Tage</a>`);
  });

  test('is the one that a person has chosen, before that of the browser', async () => {
    const pages = await startPagesForTest();
    const invitation = anInvitation({ accountId: pages.accountId });
    await pages.repositories.people.insertInvitation(invitation, UNRECORDED);
    const person = aPerson();
    const member = aMember({ accountId: pages.accountId, personId: person.id });
    await pages.repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
    const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
    const session = await startSession(deps, { personId: person.id }, NO_BROWSER, SESSION_MS);
    const cookies = { hitherto_session: session };

    const saved = await postForm(pages, '/you/name', 'name=x&language=fr', { cookies });
    const chosen = await pages.send('GET', '/', { cookies, headers: accepting('de') });
    const unknown = await postForm(pages, '/you/name', 'name=x&language=xx', { cookies });

    expect(saved.status).toBe(303);
    expect(chosen.headers['content-language']).toBe('fr');
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('Choisissez une des options.')]);
  });

  test('is that of errors, too, whatever the address', async () => {
    const pages = await startPagesForTest();

    const missing = await pages.send('GET', '/statistics/x', { headers: accepting('de') });
    const unknown = await pages.send('GET', '/share/x/y/z', { headers: accepting('de') });

    expect(missing.text).toContain('<h1>Nicht gefunden</h1>');
    expect(unknown.text).toContain('<h1>Nicht gefunden</h1>');
  });
});

function accepting(language: string | undefined): Record<string, string> {
  return language === undefined ? {} : { 'accept-language': language };
}

test.each(['', '/by/source', '/change', '/live'])(
  'every text of a statistics page%s is translated, or data',
  async (page) => {
    const pages = await startPagesForTest({ locale: pseudoLocale('rtl') });
    const website = await pages.addWebsite({ privacy: 'public', url: 'https://data.example' });
    await pages.addHits(website, [{ page: '/data' }]);

    const { text } = await pages.send('GET', `/statistics/${website.id}${page}?page=/data`);

    const body = text.slice(text.indexOf('<title>')).replaceAll(/<(?:meta|link|script)[^>]*>/g, '');
    const shown = [
      ...body.replaceAll(/<[^>]*>/g, '\n').split('\n'),
      ...[...body.matchAll(/ (?:title|aria-label|placeholder)="([^"]*)"/g)].map(([, label = '']) => label),
    ];
    const untranslated = shown.map((each) => withoutBrackets(each).replace(/^[·\s,:.]+/, ''));
    const isData = (each: string) => !/\p{L}/u.test(each) || DATA.test(each);
    expect(untranslated.filter((each) => !isData(each))).toEqual([]);
    expect(text).toContain('<html lang="ar-XB" dir="rtl"');
  },
);

/** What stands outside of all brackets: sentences have others in them. */
function withoutBrackets(text: string): string {
  const rest = text.replaceAll(/⟦[^⟦⟧]*⟧/g, '');
  return rest === text ? text.trim() : withoutBrackets(rest);
}

/** Addresses, days, values, and examples. */
const DATA =
  /^(?:(?:Hitherto|data\.example|other\.example\/é|café\.example|\/data|\/blog\/\*|CSV|UTC|Germany|German|Firefox|Linux|Ünïcode 🦊|(?:\w{3} )?\d+ Nov|\d+)[·\s,:.]*)+$/;

test('what somebody may not do is said in their language', async () => {
  const pages = await startPagesForTest();
  const origin = 'http://stats.example';
  const key = await pages.issueKey(pages.accountId, { scope: 'read' });
  const { cookies } = await pages.send('POST', '/sign-in', { form: { key }, headers: { origin } });
  const headers = { origin, 'accept-language': 'de' };

  const account = await pages.send('GET', `/accounts/${pages.accountId}`, { cookies, headers });
  const website = await pages.send('POST', '/websites', { cookies, headers, form: { url: 'https://a.example' } });

  expect([account.status, website.status]).toEqual([403, 403]);
  expect(account.text).toContain('Ein Schlüssel ist kein Inhaber');
  expect(website.text).toContain('Dieser Schlüssel darf nur lesen');
});

test('what is wrong with the name and the address of an account is said in their language', async () => {
  const pages = await startPagesForTest();
  const { sessions } = await addPeople(pages, await pages.addWebsite());
  const sent = {
    cookies: { hitherto_session: sessions.owner },
    headers: { origin: 'http://stats.example', 'accept-language': 'de' },
  };
  const path = `/accounts/${pages.accountId}`;

  const taken = await pages.send('POST', path, { ...sent, form: { name: 'other' } });
  const wrong = await pages.send('POST', path, { ...sent, form: { name: 'x'.repeat(101), email: 'x' } });

  expect([taken.status, wrong.status]).toEqual([409, 422]);
  expect(taken.text).toContain('Es gibt schon ein Konto mit diesem Namen.');
  expect(wrong.text).toContain('Ein Name hat 1 bis 100 Zeichen');
  expect(wrong.text).toContain('Geben Sie eine E-Mail-Adresse ein, etwa sie@example.com');
});
