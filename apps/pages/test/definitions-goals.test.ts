import type { GoalInput } from '@hitherto/domain/definitions';
import type { Website } from '@hitherto/domain/websites';
import { beforeEach, describe, expect, test } from 'vitest';
import { definer } from './support/definitions.ts';
import { HOSTILE } from './support/hostile-data.ts';
import { faultsOf, formOf, numbersOf, postForm, signIn, wordsOf } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let website: Website;
let path: string;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite();
  path = `/websites/${website.id}/goals`;
  ({ cookies } = await signIn(pages));
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Record<string, string>) => postForm(pages, address, form, { cookies });
const keyOf = ({ id }: Website) => ({ accountId: pages.accountId, websiteId: id });
const stored = async () => (await pages.repositories.definitions.goal.list(keyOf(website))) ?? [];
const define = (input: GoalInput) => definer(pages, website).addGoal(input);

const SIGNUP = { name: 'Signup', kind: 'event', event: 'Signup', props: 'plan=pro\r\n\r\na = b=c\r\n', sum: 'amount' };

describe('the list of goals', () => {
  test('has each goal in words, in the order of creation', async () => {
    await define({ name: 'Paid <b>', page: '/%C3%BCber/*' });
    await define({ name: 'مرحبا', event: 'Signup', props: { plan: 'pro' }, sum: 'amount' });
    await define({ name: 'Thanks', page: '/thanks' });

    const { text } = await get(path);

    expect(wordsOf(text)).toEqual([
      'Paid <b> Page is like /über/* Statistics Change Delete',
      'مرحبا Event is Signup, plan is pro; adds up amount Statistics Change Delete',
      'Thanks Page is /thanks Statistics Change Delete',
    ]);
    expect(text).toContain('<bdi><strong>مرحبا</strong></bdi>');
  });
});

describe('the form of a goal', () => {
  test('creates one by event, with properties one a line, and says that it was saved', async () => {
    const { status, headers } = await post(`${path}/new`, SIGNUP);

    expect([status, headers.location]).toEqual([303, `${path}?saved`]);
    expect((await get(`${path}?saved`)).text).toContain('Saved.');
    expect(await stored()).toMatchObject([
      { name: 'Signup', content: { rule: { event: 'Signup', props: { a: 'b=c', plan: 'pro' } }, sum: 'amount' } },
    ]);
  });

  test('creates one by page, whose letters are encoded as pages are stored, and ignores the fields of events', async () => {
    await post(`${path}/new`, { ...SIGNUP, kind: 'page', page: ' /über uns/*/%C3%9F\\* ', props: 'nonsense' });

    expect(await stored()).toMatchObject([{ content: { rule: { page: '/%C3%BCber%20uns/*/%C3%9F\\*' }, sum: null } }]);
  });

  test('creates one of pageviews that reached a place and a time, which its form and its words have', async () => {
    const location = await post(`${path}/new`, {
      name: 'Read',
      kind: 'page',
      page: '/blog/*',
      scroll: ' 75 ',
      seconds: '1',
    });
    const refused = await post(`${path}/new`, { name: 'Other', kind: 'page', page: '/', scroll: 'é', seconds: '1801' });

    const [goal] = await stored();
    expect(location.status).toBe(303);
    expect(goal?.content.rule).toEqual({ page: '/blog/*', scroll: 75, seconds: 1 });
    expect((await get(path)).text).toContain(', seen down to 75 %, looked at for 1 second');
    expect(formOf((await get(`${path}/${goal?.id}`)).text)).toMatchObject({ scroll: '75', seconds: '1' });
    expect(refused.status).toBe(422);
    expect(formOf(refused.text)).toMatchObject({ scroll: 'é', seconds: '1801' });
  });

  test('begins with the name, event or page in its address', async () => {
    const byEvent = await get(`${path}/new?event=Sign%22up&name=A`);
    const byPage = await get(`${path}/new?page=/a`);

    expect(formOf(byEvent.text)).toMatchObject({ name: 'A', kind: 'event', event: 'Sign"up' });
    expect(formOf(byPage.text)).toMatchObject({ kind: 'page', page: '/a' });
  });

  test('suggests the pages and events of the last 28 days', async () => {
    await pages.addHits(website, [
      { page: '/%C3%BC*' },
      { name: 'Signup & "more"' },
      { page: '/old', day: '2026-10-23', time: new Date('2026-10-23T12:00:00Z') },
    ]);

    const { text } = await get(`${path}/new`);

    expect(text).toContain('<datalist id="events"><option value="Signup &amp; &quot;more&quot;">');
    expect(text).toContain('<option value="/ü\\*">');
    expect(text).not.toContain('/old');
  });

  test('shows what is stored, and saving that changes nothing', async () => {
    const before = await define({ name: 'é', event: 'Signup', props: { b: '"2"', a: 'ü=1' }, sum: 'amount' });
    pages.clock.advance(60_000);

    const form = formOf((await get(`${path}/${before.id}`)).text);
    const { status } = await post(`${path}/${before.id.toUpperCase()}`, form);

    expect(form).toEqual({
      version: before.updatedAt.toISOString(),
      name: 'é',
      kind: 'event',
      event: 'Signup',
      props: 'a=ü=1\r\nb="2"',
      page: '',
      scroll: '',
      seconds: '',
      sum: 'amount',
    });
    expect([status, await stored()]).toEqual([303, [before]]);
  });

  test('turns a goal by event into one by page', async () => {
    const { id } = await define({ name: 'é', event: 'Signup', props: { a: '1' }, sum: 'amount' });
    const form = formOf((await get(`${path}/${id}`)).text);

    await post(`${path}/${id}`, { ...form, name: 'Thanks', kind: 'page', page: '/thanks' });

    expect(await stored()).toMatchObject([{ id, name: 'Thanks', content: { rule: { page: '/thanks' }, sum: null } }]);
  });

  test('has every fault next to its field, and keeps what was typed', async () => {
    const form = {
      name: ' ',
      kind: 'event',
      event: '',
      props: `plan\na=1\na=2\n${'x'.repeat(41)}=1`,
      sum: 'y'.repeat(41),
    };

    const { status, text } = await post(`${path}/new`, form);

    expect([status, text]).toEqual([422, expect.stringContaining('Nothing was saved. Some fields are not valid.')]);
    expect(faultsOf(text)).toEqual({
      name: ['A name must have 1 to 64 characters, no control characters, and no spaces at its ends.'],
      event: ['The name of an event must have 1 to 64 characters and no control characters.'],
      props: [
        'Line 4: The name of a property must have 1 to 40 characters.',
        'Line 1 has no “=” between the name of a property and its value.',
        'Line 3 repeats a property.',
      ],
      sum: ['The name of a property must have 1 to 40 characters.'],
    });
    expect(text).toContain('aria-describedby="props-hint props-fault" aria-invalid="true"');
    expect(formOf(text).props).toBe(form.props.replaceAll('\n', '\r\n'));
    expect(faultsOf((await post(`${path}/new`, { name: 'x', kind: 'page', page: ' ' })).text)).toEqual({
      page: ['The pattern of a page is empty.'],
    });
    expect(await stored()).toEqual([]);
  });

  test('is not offered where it could not hold what is stored', async () => {
    const goals = [
      await define({ name: 'a', event: 'Signup', props: { 'a=b': 'c' } }),
      await define({ name: 'b', event: 'Signup', props: { a: 'b\nc' } }),
      await define({ name: 'c', event: ' Signup', props: {} }),
    ];

    for (const { id } of goals) {
      const { status, text } = await get(`${path}/${id}`);
      expect([status, text]).toEqual([200, expect.stringContaining('Use the API instead.')]);
      expect(text).not.toContain('name="event"');
    }
  });
});

describe('the preview of a goal', () => {
  beforeEach(() =>
    pages.addHits(website, [
      { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: 1_000.5 } },
      { visitor: 1n, name: 'Signup', props: { plan: 'pro', amount: '2' } },
      { visitor: 2n, name: 'Signup', props: { plan: 'free' } },
      { visitor: 3n, page: '/a' },
      { visitor: 4n, page: '/a', day: '2026-10-23', time: new Date('2026-10-23T12:00:00Z') },
    ]),
  );

  test('counts the last 28 days before anything is saved, and keeps the form', async () => {
    const form = { ...SIGNUP, props: 'plan=pro', action: 'preview' };

    const { status, text } = await post(`${path}/new`, form);

    expect([status, text]).toEqual([200, expect.stringContaining('In the last 28 days, 24 Oct to 20 Nov')]);
    expect(numbersOf(text)).toEqual({
      conversions: '2',
      visits: '1',
      visitors: '1',
      conversion_rate: '33\u00a0%',
      sum: '1,002.50',
    });
    expect(formOf(text)).toMatchObject({ name: 'Signup', event: 'Signup', props: 'plan=pro', sum: 'amount' });
    expect(await stored()).toEqual([]);
  });

  test('counts the days of the website’s own time zone', async () => {
    const eastern = await pages.addWebsite({ timeZone: 'Pacific/Kiritimati' });
    const form = { name: '', kind: 'page', page: '/', action: 'preview' };

    const { text } = await post(`/websites/${eastern.id}/goals/new`, form);

    expect(text).toContain('In the last 28 days, 25 Oct to 21 Nov');
  });

  test('says that it did not happen, and shows faults', async () => {
    const never = await post(`${path}/new`, { name: 'x', kind: 'event', event: 'signup', action: 'preview' });
    const faulty = await post(`${path}/new`, { name: 'x'.repeat(65), kind: 'page', page: '', action: 'preview' });

    expect(never.text).toContain('It did not happen in this period.');
    expect([faulty.status, Object.keys(faultsOf(faulty.text))]).toEqual([422, ['name', 'page']]);
    expect(faulty.text).toContain('There is no preview. Some fields are not valid.');
  });
});

describe('the pages of goals', () => {
  test('escape what comes from outside', async () => {
    for (const [index, text] of HOSTILE.entries()) {
      await define({
        name: `${index} ${text}`.slice(0, 64),
        event: text.slice(0, 64),
        props: { [text.slice(0, 40).replaceAll('=', '')]: text.slice(0, 200) },
        sum: text.slice(0, 40),
      });
    }
    await pages.addHits(
      website,
      HOSTILE.map((text) => ({ name: text.slice(0, 64), page: text })),
    );

    const [{ id = '' } = {}] = await stored();
    const all = [await get(path), await get(`${path}/${id}`), await get(`${path}/${id}/delete`)];

    for (const { status, text } of all) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<img src=x|<svg onload/);
    }
  });
});
