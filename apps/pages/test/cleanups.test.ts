import { settleCleanup } from '@hitherto/domain/cleanups';
import type { Website } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, formAt, numbersOf, postForm, signIn, wordsOf } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let website: Website;
let path: string;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite({ privacy: 'public' });
  path = `/websites/${website.id}/cleanups`;
  ({ cookies } = await signIn(pages));
  await pages.addHits(website, [
    { page: '/spam', visitor: 1n },
    { page: '/', visitor: 2n },
  ]);
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Record<string, string>) => postForm(pages, address, form, { cookies });
const settle = () => settleCleanup(pages.repositories);
const visitors = async () => numbersOf((await pages.send('GET', `/statistics/${website.id}`)).text).visitors;
const SPAM = { name: 'Spam <b>', filter_0_subject: 'page', filter_0_operator: '', filter_0_values: '/spam' };

describe('the cleanups of a website', () => {
  test('are made of the filters of the statistics page', async () => {
    const page = await get(`/statistics/${website.id}?page=/spam`);
    const [, href = ''] = /href="([^"]*\/cleanups\/new[^"]*)"/.exec(page.text) ?? [];
    const { text } = await get(href.replaceAll('&amp;', '&'));

    expect(formAt(text, `${path}/new`)).toMatchObject({ filter_0_subject: 'page', filter_0_values: '/spam' });
  });

  test('show what they would hide before they are saved', async () => {
    const { status, text } = await post(`${path}/new`, { ...SPAM, name: '', action: 'preview' });

    expect([status, numbersOf(text)]).toMatchObject([
      200,
      { before_visits: '2', hidden_visits: '1', after_visits: '1' },
    ]);
    expect(await pages.repositories.cleanups.list({ accountId: pages.accountId, websiteId: website.id })).toEqual([]);
  });

  test('warn before they hide every visit', async () => {
    const { text } = await post(`${path}/new`, { ...SPAM, filter_0_values: '/spam\n/', action: 'preview' });

    expect(text).toContain('This hides every visit of these days.');
  });

  test('hide visits, and are undone', async () => {
    expect(await visitors()).toBe('2');

    expect((await post(`${path}/new`, SPAM)).status).toBe(303);
    await settle();

    expect(await visitors()).toBe('1');
    const list = await get(path);
    expect(wordsOf(list.text)).toEqual([
      'Spam <b> Page is /spam. On all days, also later ones. 1 visit is hidden. Change Delete',
    ]);
    const [cleanup] =
      (await pages.repositories.cleanups.list({ accountId: pages.accountId, websiteId: website.id })) ?? [];
    const deletion = `${path}/${cleanup?.id}/delete`;
    expect((await post(deletion, formAt((await get(deletion)).text, deletion) ?? {})).status).toBe(303);
    await settle();
    expect([await visitors(), wordsOf((await get(path)).text)]).toEqual(['2', []]);
  });

  test('change their names alone', async () => {
    await post(`${path}/new`, SPAM);
    const [cleanup] =
      (await pages.repositories.cleanups.list({ accountId: pages.accountId, websiteId: website.id })) ?? [];
    const one = `${path}/${cleanup?.id}`;

    const form = formAt((await get(one)).text, one) ?? {};
    const { status } = await post(one, { ...form, name: 'Bots' });

    expect([Object.keys(form).sort(), status]).toEqual([['name', 'version'], 303]);
    expect((await get(path)).text).toContain('Bots');
  });

  test('say next to the field what is wrong', async () => {
    const { status, text } = await post(`${path}/new`, { ...SPAM, name: '', filter_0_subject: 'goal' });

    expect([status, Object.keys(faultsOf(text)).sort()]).toEqual([422, ['filter_0_values', 'name']]);
  });
});
