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
const settle = () => settleCleanup({ ...pages.repositories, now: () => new Date() });
const visitors = async () => numbersOf((await pages.send('GET', `/statistics/${website.id}`)).text).visitors;
const SPAM = { name: 'Spam <b>', filter_0_subject: 'page', filter_0_operator: '', filter_0_values: '/spam' };

describe('the cleanups of a website', () => {
  test('are made of the filters of the statistics page', async () => {
    const page = await get(`/statistics/${website.id}?page=/spam`);
    const [, href = ''] = /href="([^"]*\/cleanups\/new[^"]*)"/.exec(page.text) ?? [];
    const { text } = await get(href.replaceAll('&amp;', '&'));

    expect(formAt(text, `${path}/new`)).toMatchObject({ filter_0_subject: 'page', filter_0_values: '/spam' });
  });

  test('are made of a row of a list, with the filters there', async () => {
    const list = async (as?: typeof cookies) =>
      (await pages.send('GET', `/statistics/${website.id}/by/page?country.not=ZZ`, as && { cookies: as })).text;
    const hrefs = [...(await list(cookies)).matchAll(/href="([^"]*\/cleanups\/new[^"]*)" aria-label="([^"]*)"/g)];

    expect(hrefs.map(([, href, label]) => [href?.replaceAll('&amp;', '&'), label])).toContainEqual([
      `${path}/new?country.not=ZZ&page=%2Fspam`,
      'Hide visits with /spam',
    ]);
    expect(await list()).not.toContain('cleanups');
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
    const everything = { ...SPAM, filter_0_values: '/spam\n/' };
    const refused = await post(`${path}/new`, everything);
    expect([refused.status, formAt(refused.text, `${path}/new`)]).toMatchObject([
      422,
      { filter_0_values: '/spam\r\n/' },
    ]);
    expect(refused.text).toContain('name="hides_all"');
    expect((await post(`${path}/new`, { ...everything, hides_all: '1' })).status).toBe(303);
  });

  test('are counted under the chart of the owner, and nobody else', async () => {
    await post(`${path}/new`, SPAM);
    await settle();
    const line = '1 visit hidden by 1 cleanup';

    expect((await get(`/statistics/${website.id}`)).text).toContain(`<a href="${path}">${line}</a>`);
    expect((await pages.send('GET', `/statistics/${website.id}`)).text).not.toContain(line);
  });

  test('let their owner look at hidden visits, and nobody else', async () => {
    await post(`${path}/new`, SPAM);
    await settle();
    const address = `/statistics/${website.id}`;
    const numbersAt = async (query: string, as?: typeof cookies) =>
      numbersOf((await pages.send('GET', `${address}?hidden=${query}`, as && { cookies: as })).text).visitors;

    expect((await get(address)).text).toContain(`<a href="${address}?hidden=only">Show only these</a>`);
    expect([await numbersAt('only', cookies), await numbersAt('include', cookies)]).toEqual(['1', '2']);
    expect((await get(`${address}/by/page?hidden=only`)).text).toContain('Only hidden visits');
    expect((await get(`${address}/by/page?hidden=only`)).text).toContain('/spam');
    expect([await numbersAt('only'), await numbersAt('include')]).toEqual(['1', '1']);
    expect((await pages.send('GET', `${address}/by/page?hidden=only`)).text).not.toContain('/spam');
  });

  test('delete the hits that they hide once their name is typed', async () => {
    await post(`${path}/new`, SPAM);
    await settle();
    const [cleanup] =
      (await pages.repositories.cleanups.list({ accountId: pages.accountId, websiteId: website.id })) ?? [];
    const erase = `${path}/${cleanup?.id}/erase`;
    expect((await get(`${path}/${cleanup?.id}`)).text).toContain(`href="${erase}"`);
    expect(formAt((await get(erase)).text, erase)).toEqual({ name: '' });

    const refused = await post(erase, { name: 'Spam' });
    expect([refused.status, faultsOf(refused.text)]).toEqual([422, { name: ['This is not the name of the cleanup.'] }]);
    expect((await post(erase, { name: SPAM.name })).status).toBe(303);
    await settle();

    expect((await get(path)).text).toContain('Its hits were deleted on');
    expect(await visitors()).toBe('1');
  });

  test('are named where a visit is checked that they would hide', async () => {
    await post(`${path}/new`, SPAM);
    await settle();

    const check = await post(`/websites/${website.id}/check`, {
      url: `${website.url}/spam`,
      ip: '198.51.100.7',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    });

    expect(check.text).toContain('<bdi>Spam &lt;b></bdi></a>” hides such a visit from all numbers.');
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

test.each([
  { exclude_params: 'filter', action: 'try excludedParams' },
  { page_rules: '?filter', action: 'try pageRules' },
])('a setting is tried on the past, and not saved: %j', async (tried) => {
  await pages.addHits(website, [
    { page: '/list?filter=a', visitor: 3n },
    { page: '/list?filter=b', visitor: 4n },
  ]);
  const settings = `/websites/${website.id}`;
  const form = formAt((await get(settings)).text, settings) ?? {};

  const { status, text } = await post(settings, { ...form, ...tried });

  expect([status, /<bdi title="([^"]*)">([^<]*)</.exec(text)?.slice(1)]).toEqual([
    200,
    ['/list?filter=a\n/list?filter=b', '/list'],
  ]);
  expect(text).toContain('The 4 pages of the last 28 days would have been 3.');
  const { action: _, ...sent } = tried;
  expect(formAt(text, settings)).toMatchObject(sent);
  expect(formAt((await get(settings)).text, settings)).toEqual(form);
});
