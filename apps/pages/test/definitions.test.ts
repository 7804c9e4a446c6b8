import { UNRECORDED } from '@hitherto/domain/changes';
import type { DefinitionKind } from '@hitherto/domain/definitions';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { beforeEach, describe, expect, test } from 'vitest';
import { signInPath } from '../src/shared/sign-in-path.ts';
import { faultsOf, formOf, postForm, signIn, wordsOf } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

interface Case {
  readonly kind: DefinitionKind;
  readonly page: string;
  readonly limit: number;
  readonly purpose: string;
  /** A form without a name. */
  readonly form: Readonly<Record<string, string>>;
  readonly words: string;
  /** The links of a row of the list, for people who may change it. */
  readonly links: string;
  /** Another form, and the field in which it differs. */
  readonly field: string;
  readonly value: string;
  readonly otherWords: string;
}

const CASES: readonly Case[] = [
  {
    kind: 'goal',
    page: 'goals',
    limit: 50,
    purpose: 'A goal is something that visitors should do',
    form: { kind: 'page', page: '/thanks' },
    words: 'Page is /thanks',
    links: 'Statistics Change Delete',
    field: 'page',
    value: '/paid/*',
    otherWords: 'Page is like /paid/*',
  },
  {
    kind: 'funnel',
    page: 'funnels',
    limit: 20,
    purpose: 'A funnel shows how many visits take each of several steps',
    form: {
      step_0_name: 'Cart',
      step_0_kind: 'page',
      step_0_page: '/cart',
      step_1_name: 'Bought',
      step_1_kind: 'event',
      step_1_event: 'Paid',
    },
    words: 'Cart (Page is /cart), then Bought (Event is Paid)',
    links: 'Change Delete',
    field: 'step_1_event',
    value: 'Pay',
    otherWords: 'Cart (Page is /cart), then Bought (Event is Pay)',
  },
  {
    kind: 'segment',
    page: 'segments',
    limit: 50,
    purpose: 'A segment is a set of filters with a name',
    form: { match: 'any', filter_0_subject: 'country', filter_0_operator: 'not', filter_0_values: 'Germany' },
    words: 'Country is not Germany',
    links: 'Statistics Change Delete',
    field: 'filter_0_values',
    value: 'France',
    otherWords: 'Country is not France',
  },
];

let pages: PagesUnderTest;
let website: Website;
let cookies: Readonly<Record<string, string>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite();
  ({ cookies } = await signIn(pages));
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Readonly<Record<string, string>>) => postForm(pages, address, form, { cookies });

describe.each(CASES)(
  'the $page of a website',
  ({ kind, page, limit, purpose, form, words, links, field, value, otherWords }) => {
    const pathOf = ({ id }: Website) => `/websites/${id}/${page}`;
    const path = () => pathOf(website);
    const stored = async () =>
      (await pages.repositories.definitions[kind].list({ accountId: pages.accountId, websiteId: website.id })) ?? [];
    /** Creates one, and gives its id. */
    const create = async (name: string) => {
      await post(`${path()}/new`, { ...form, name });
      return (await stored()).find((definition) => definition.name === name)?.id ?? '';
    };

    test('are listed with their purpose, and a way to add one', async () => {
      const { status, text } = await get(path());

      expect([status, text]).toEqual([200, expect.stringContaining(purpose)]);
      expect(text).toContain(`<a href="${path()}" aria-current="page">`);
      expect(text).toContain(`<a class="button" href="${path()}/new">Add a ${kind}</a>`);
    });

    test('are created, changed and deleted, and the list says so', async () => {
      const created = await post(`${path()}/new`, { ...form, name: ' <é> ' });
      const [{ id = '' } = {}] = await stored();
      const list = await get(`${path()}?saved`);
      const changed = await post(`${path()}/${id.toUpperCase()}`, {
        ...formOf((await get(`${path()}/${id}`)).text),
        name: 'مرحبا',
        [field]: value,
      });
      const asked = await get(`${path()}/${id}/delete`);
      const deleted = await post(`${path()}/${id}/delete`, formOf(asked.text));

      expect([created, changed, deleted].map(({ status, headers }) => [status, headers.location])).toEqual([
        [303, `${path()}?saved`],
        [303, `${path()}?saved`],
        [303, `${path()}?deleted`],
      ]);
      expect([list.text, wordsOf(list.text)]).toEqual([expect.stringContaining('Saved.'), [`<é> ${words} ${links}`]]);
      expect(asked.text).toContain('<bdi><strong>مرحبا</strong></bdi>');
      expect(asked.text.replaceAll(/<\/?(?:bdi|span)>/g, '')).toContain(otherWords);
      expect([(await get(`${path()}?deleted`)).text, await stored()]).toEqual([
        expect.stringContaining('Deleted.'),
        [],
      ]);
    });

    test('are deleted once where a form is sent twice', async () => {
      const id = await create('é');
      const asked = formOf((await get(`${path()}/${id}/delete`)).text);

      for (const _ of ['once', 'again']) {
        const { status, headers } = await post(`${path()}/${id}/delete`, asked);
        expect([status, headers.location]).toEqual([303, `${path()}?deleted`]);
      }
    });

    test('can be added again where they were deleted elsewhere while a form was open', async () => {
      const id = await create('é');
      const opened = formOf((await get(`${path()}/${id}`)).text);
      await post(`${path()}/${id}/delete`, {});

      const gone = await post(`${path()}/${id}`, { ...opened, name: '<mine>' });

      expect([gone.status, gone.text]).toEqual([
        404,
        expect.stringContaining(`Nothing was saved. This ${kind} was deleted elsewhere after you opened this page.`),
      ]);
      expect(gone.text).toContain(`action="${path()}/new"`);
      await post(`${path()}/new`, formOf(gone.text));
      expect(wordsOf((await get(path())).text)).toEqual([`<mine> ${words} ${links}`]);
    });

    test('keep their version where the form is sent as it was shown', async () => {
      const id = await create('é');
      const before = await stored();
      pages.clock.advance(60_000);

      const shown = formOf((await get(`${path()}/${id}`)).text);
      const { status } = await post(`${path()}/${id}`, shown);

      expect(shown).toMatchObject({ ...form, name: 'é' });
      expect([status, await stored()]).toEqual([303, before]);
    });

    test('are at most as many as in the API', async () => {
      for (let count = 0; count < limit; count += 1) await create(`é ${count}`);

      const { text } = await get(path());
      const refused = await post(`${path()}/new`, { ...form, name: 'one more' });

      expect(text).toContain(`These are all ${limit} ${page} that a website can have.`);
      expect(text).not.toContain(`Add a ${kind}`);
      expect([refused.status, refused.text]).toEqual([
        422,
        expect.stringContaining(`Nothing was saved. A website has at most ${limit} ${kind}s. Delete one first.`),
      ]);
      expect(formOf(refused.text)).toMatchObject({ ...form, name: 'one more' });
    });

    test('have names of their own: a form says next to the name that it is taken', async () => {
      await create('Taken');
      const id = await create('Other');

      const created = await post(`${path()}/new`, { ...form, name: 'Taken', [field]: value });
      const renamed = await post(`${path()}/${id}`, { ...form, name: 'Taken' });

      for (const { status, text } of [created, renamed]) {
        expect([status, faultsOf(text)]).toEqual([
          422,
          { name: [`The website already has a ${kind} with this name.`] },
        ]);
      }
    });

    test('are saved once where a form is sent twice', async () => {
      const statuses: number[] = [];
      const send = async (address: string, sent: Readonly<Record<string, string>>) =>
        statuses.push((await post(address, sent)).status);

      for (const _ of ['once', 'again']) await send(`${path()}/new`, { ...form, name: 'é' });
      const [{ id = '' } = {}] = await stored();
      const change = { ...formOf((await get(`${path()}/${id}`)).text), [field]: value };
      for (const _ of ['once', 'again']) await send(`${path()}/${id}`, change);

      expect(statuses).toEqual([303, 303, 303, 303]);
      expect(wordsOf((await get(path())).text)).toEqual([`é ${otherWords} ${links}`]);
    });

    test('are saved once where the form of the last that is allowed is sent twice', async () => {
      for (let count = 1; count < limit; count += 1) await create(`é ${count}`);

      const last = { ...form, name: 'last' };
      const [first, second] = [await post(`${path()}/new`, last), await post(`${path()}/new`, last)];
      const other = await post(`${path()}/new`, { ...last, [field]: value });

      expect([first, second].map(({ status, headers }) => [status, headers.location])).toEqual([
        [303, `${path()}?saved`],
        [303, `${path()}?saved`],
      ]);
      expect([other.status, (await stored()).length]).toEqual([422, limit]);
    });

    test('do not lose a change made elsewhere: the form shows that, and saves when it is sent again', async () => {
      const id = await create('Old');
      const opened = formOf((await get(`${path()}/${id}`)).text);
      pages.clock.advance(1);
      await post(`${path()}/${id}`, { ...form, name: 'Elsewhere', [field]: value });

      const preview = await post(`${path()}/${id}`, { ...opened, name: 'Mine', action: 'preview' });
      const stale = await post(`${path()}/${id}`, formOf(preview.text));

      expect([stale.status, await stored()]).toMatchObject([409, [{ name: 'Elsewhere' }]]);
      expect(stale.text).toContain(`Nothing was saved. This ${kind} was changed elsewhere after you opened this page.`);
      expect(stale.text.replaceAll(/<\/?(?:bdi|span)>/g, '')).toContain(
        `It is now: ${otherWords}. Save again to replace this.`,
      );
      const again = await post(`${path()}/${id}`, formOf(stale.text));
      expect([again.status, wordsOf((await get(path())).text)]).toEqual([303, [`Mine ${words} ${links}`]]);
    });

    test('are not deleted where they were changed meanwhile, until that was seen', async () => {
      const id = await create('é');
      const asked = formOf((await get(`${path()}/${id}/delete`)).text);
      pages.clock.advance(1);
      await post(`${path()}/${id}`, { ...form, name: 'é', [field]: value });

      const { status, text } = await post(`${path()}/${id}/delete`, asked);

      expect([status, text]).toEqual([409, expect.stringContaining(`Nothing was deleted. This ${kind} was changed`)]);
      expect(text.replaceAll(/<\/?(?:bdi|span)>/g, '')).toContain(otherWords);
      expect((await post(`${path()}/${id}/delete`, formOf(text))).status).toBe(303);
    });

    test('are the same 404 for a website of another account, one that is gone, and an unknown id', async () => {
      const [foreign, gone] = [await pages.addWebsite({}, pages.otherAccountId), await pages.addWebsite()];
      await pages.repositories.websites.delete(pages.accountId, gone.id, undefined, UNRECORDED);
      const id = await create('é');
      const paths = [foreign.id, gone.id, newId(), 'x'].map((other) => `/websites/${other}/${page}`);

      for (const other of paths) {
        for (const rest of ['', '/new', `/${id}`, `/${id}/delete`]) expect((await get(other + rest)).status).toBe(404);
        for (const rest of ['/new', `/${id}`, `/${id}/delete`]) {
          expect((await post(other + rest, { ...form, name: 'x' })).status).toBe(404);
          expect((await post(other + rest, { ...form, name: 'x', action: 'preview' })).status).toBe(404);
        }
      }
      for (const rest of [newId(), 'x']) {
        expect((await get(`${path()}/${rest}`)).status).toBe(404);
        expect((await post(`${path()}/${rest}`, { ...form, name: 'x' })).status).toBe(404);
      }
      expect(await stored()).toMatchObject([{ id, name: 'é' }]);
    });

    test('are shown but change nothing with a key of scope read', async () => {
      const id = await create('é');
      const before = await stored();
      ({ cookies } = await signIn(pages, 'read'));

      const [list, shown, asked] = [
        await get(path()),
        await get(`${path()}/${id}`),
        await get(`${path()}/${id}/delete`),
      ];
      const sent = { ...form, name: 'x' };
      const statuses = [
        (await post(`${path()}/new`, sent)).status,
        (await post(`${path()}/${id}`, sent)).status,
        (await post(`${path()}/${id}/delete`, {})).status,
      ];

      expect(wordsOf(list.text)).toEqual([
        `é ${words} ${links.replace(' Change Delete', ' Show').replace('Change Delete', 'Show')}`,
      ]);
      expect(list.text).not.toContain(`Add a ${kind}`);
      expect(shown.text).toContain('<fieldset class="all" disabled>');
      expect(asked.text).toContain('<fieldset class="buttons" disabled>');
      expect([statuses, await stored()]).toEqual([[403, 403, 403], before]);
    });

    test('need a session, and refuse writes from other sites', async () => {
      const id = await create('é');
      const before = await stored();

      for (const rest of ['', '/new', `/${id}`, `/${id}/delete`]) {
        const { status, headers } = await pages.send('GET', path() + rest);
        expect([status, headers.location, headers['cache-control']]).toEqual([
          303,
          signInPath(path() + rest),
          'no-store',
        ]);
      }
      for (const rest of ['/new', `/${id}`, `/${id}/delete`]) {
        const foreign = { cookies, headers: { origin: 'https://evil.example' } };
        expect((await postForm(pages, path() + rest, { ...form, name: 'x' }, foreign)).status).toBe(403);
        expect((await postForm(pages, path() + rest, { ...form, name: 'x' })).status).toBe(303);
      }
      expect(await stored()).toEqual(before);
    });
  },
);
