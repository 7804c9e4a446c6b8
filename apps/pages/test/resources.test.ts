import { UNRECORDED } from '@hitherto/domain/changes';
import type { DefinitionKind } from '@hitherto/domain/definitions';
import type { Resource } from '@hitherto/domain/resources';
import type { Website } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { anAnnotation } from '@hitherto/testing/fixtures';
import { beforeEach, describe, expect, test } from 'vitest';
import { signInPath } from '../src/shared/sign-in-path.ts';
import { faultsOf, formAt, postForm, signIn, wordsOf } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

type Form = Readonly<Record<string, string>>;

/** A kind of resource, whose pages do the same as those of the others. */
interface Case {
  readonly kind: DefinitionKind | 'link' | 'annotation' | 'alert' | 'webhook';
  readonly limit: number;
  readonly purpose: string;
  /** A name that a resource can have; the default is hostile. */
  readonly named?: string;
  /** The form of a resource of this name, and its row in the list. */
  readonly form: (name: string) => Form;
  readonly row: (name: string) => string;
  /** Other values of its fields, the row that they lead to, and these values in words. */
  readonly change?: { readonly fields: Form; readonly row: (name: string) => string; readonly words: string };
  readonly faulty: Form;
  /** The fields with faults. */
  readonly faults: readonly string[];
  /** Where the rejected form is shown again. */
  readonly forms: 'page' | 'list';
}

const CASES: readonly Case[] = [
  {
    kind: 'goal',
    forms: 'page',
    limit: 50,
    purpose: 'A goal is something that visitors should do',
    form: (name) => ({ name, kind: 'page', page: '/thanks' }),
    row: (name) => `${name} Page is /thanks Statistics Change Delete`,
    change: {
      fields: { page: '/paid/*' },
      row: (name) => `${name} Page is like /paid/* Statistics Change Delete`,
      words: 'Page is like /paid/*',
    },
    faulty: { page: '' },
    faults: ['page'],
  },
  {
    kind: 'funnel',
    forms: 'page',
    limit: 20,
    purpose: 'A funnel shows how many visits take each of several steps',
    form: (name) => ({
      name,
      step_0_name: 'Cart',
      step_0_kind: 'page',
      step_0_page: '/cart',
      step_1_name: 'Bought',
      step_1_kind: 'event',
      step_1_event: 'Paid',
    }),
    row: (name) => `${name} Cart (Page is /cart), then Bought (Event is Paid) Change Delete`,
    change: {
      fields: { step_1_event: 'Pay' },
      row: (name) => `${name} Cart (Page is /cart), then Bought (Event is Pay) Change Delete`,
      words: 'Cart (Page is /cart), then Bought (Event is Pay)',
    },
    faulty: { step_1_event: '' },
    faults: ['step_1_event'],
  },
  {
    kind: 'segment',
    forms: 'page',
    limit: 50,
    purpose: 'A segment is a set of filters with a name',
    form: (name) => ({
      name,
      match: 'any',
      filter_0_subject: 'country',
      filter_0_operator: 'not',
      filter_0_values: 'Germany',
    }),
    row: (name) => `${name} Country is not Germany Statistics Change Delete`,
    change: {
      fields: { filter_0_values: 'France' },
      row: (name) => `${name} Country is not France Statistics Change Delete`,
      words: 'Country is not France',
    },
    faulty: { filter_0_values: 'x'.repeat(3_000) },
    faults: ['filter_0_values'],
  },
  {
    kind: 'link',
    forms: 'list',
    limit: 100,
    purpose: 'A link shows the statistics to everyone who has it',
    form: (name) => ({ name, last_day: '', password: '' }),
    row: (name) => `${name} All visits Revoke`,
    faulty: { last_day: '2026-11-01' },
    faults: ['last_day'],
  },
  {
    kind: 'annotation',
    forms: 'list',
    limit: 2_000,
    purpose: 'A note about a day, such as a release',
    form: (text) => ({ day: '2026-11-18', text, is_public: '1' }),
    row: (name) => `${name} 18 November 2026, public Change`,
    change: {
      fields: { day: '2026-11-19' },
      row: (name) => `${name} 19 November 2026, public Change`,
      words: '19 November 2026, public',
    },
    faulty: { day: '' },
    faults: ['day'],
  },
  {
    kind: 'alert',
    forms: 'list',
    limit: 20,
    purpose: 'An alert notifies you',
    form: () => ({ rule: 'silence', hours: '24', webhooks: '1' }),
    row: () => 'Silence: no hit for some hours 24 hours. By webhooks Delete',
    faulty: { hours: '' },
    faults: ['hours'],
  },
  {
    kind: 'webhook',
    forms: 'page',
    limit: 20,
    purpose: 'A webhook tells another program or a chat',
    named: 'hooks.example',
    form: (host) => ({ url: `https://${host}/`, format: 'json', 'website.updated': '1', website_ids: '' }),
    row: (name) => `${name} JSON, signed. A website was changed. Settings`,
    change: {
      fields: { 'alert.fired': '1' },
      row: (name) => `${name} JSON, signed. A website was changed. An alert fired. Settings`,
      words: 'A website was changed, An alert fired; all websites; turned on',
    },
    faulty: { url: 'ftp://é' },
    faults: ['url'],
  },
];

let pages: PagesUnderTest;
let website: Website;
let cookies: Form;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite();
  ({ cookies } = await signIn(pages));
});

const get = (address: string) => pages.send('GET', address, { cookies });
const post = (address: string, form: Form) => postForm(pages, address, form, { cookies });
/** A page without the marks that set strings of the owner apart. */
const plain = ({ text }: Received) => text.replaceAll(/<\/?(?:bdi|span|strong)>/g, '');
const locationsOf = (responses: readonly Received[]) =>
  responses.map(({ status, headers }) => [status, headers.location]);

/** What the tests of a kind share. */
function helpersOf({ kind, form, forms, limit, named = '<é>' }: Case) {
  const hasPages = forms === 'page';
  const pathOf = (id: string) =>
    kind === 'webhook' ? `/accounts/${pages.accountId}/webhooks` : `/websites/${id}/${kind}s`;
  const path = () => pathOf(website.id);
  const one = (id: string) => `${path()}/${id}`;
  const newPath = () => (hasPages ? `${path()}/new` : path());
  const deletion = (id: string) => `${one(id)}/${kind === 'link' ? 'revoke' : 'delete'}`;
  const { definitions, links, annotations, alerts, webhooks } = pages.repositories;
  const repository = { ...definitions, link: links, annotation: annotations, alert: alerts, webhook: webhooks }[kind];
  const { accountId } = pages;
  const owner = { accountId, websiteId: website.id };
  const stored = async (): Promise<readonly Resource[]> =>
    (await (kind === 'webhook' ? webhooks.list({ accountId }) : repository.list(owner))) ?? [];
  return {
    name: named,
    hasPages,
    pathOf,
    path,
    one,
    newPath,
    deletion,
    stored,
    /** The form of a stored resource, as a browser sends it. */
    open: async (id: string) => formAt((await get(hasPages ? one(id) : path())).text, one(id)) ?? {},
    /** The form that deletes a resource. */
    ask: async (id: string) => formAt((await get(hasPages ? deletion(id) : path())).text, deletion(id)) ?? {},
    /** Creates a resource, and gives its id. */
    create: async (name = named) => {
      const before = new Set((await stored()).map(({ id }) => id));
      await post(newPath(), form(name));
      return (await stored()).find(({ id }) => !before.has(id))?.id ?? '';
    },
    /** Adds so many that only `free` more are allowed. */
    fill: async (free = 0) => {
      for (let count = free; count < limit; count += 1) {
        if (kind !== 'annotation') await post(newPath(), form(kind === 'webhook' ? `${count}.example` : `é ${count}`));
        else await annotations.insert(owner, anAnnotation({ id: newId() }), UNRECORDED);
      }
    },
  };
}

describe.each(CASES)('the pages of every $kind', (kase) => {
  const { kind, limit, purpose, form, row, faulty, faults } = kase;
  const past = kind === 'link' ? 'revoked' : 'deleted';
  const done = kind === 'link' ? 'Revoked.' : 'Deleted.';

  test('show the purpose, and a way to add one', async () => {
    const { path, newPath, hasPages } = helpersOf(kase);

    const { status, text } = await get(path());

    expect([status, text]).toEqual([200, expect.stringContaining(purpose)]);
    if (kind !== 'webhook') expect(text).toContain(`<a href="${path()}" aria-current="page">`);
    if (hasPages) expect(text).toContain(`<a class="button" href="${newPath()}">Add a ${kind}</a>`);
    else expect(formAt(text, newPath())).toBeDefined();
  });

  test('create and delete one, and say so', async () => {
    const { name, path, newPath, deletion, ask, stored } = helpersOf(kase);

    const created = await post(newPath(), form(name));
    const [{ id = '' } = {}] = await stored();
    const list = await get(path());
    const asked = await ask(id);
    const deleted = await post(deletion(id.toUpperCase()), asked);

    // A secret is in the response and nowhere else, so there is no redirect.
    const isShown = kind === 'link' || kind === 'webhook';
    expect(locationsOf([created])).toEqual([isShown ? [201, undefined] : [303, `${path()}?saved`]]);
    expect(wordsOf(list.text)).toEqual([row(name)]);
    expect((await get(`${path()}?saved`)).text).toContain('Saved.');
    expect(locationsOf([deleted])).toEqual([[303, `${path()}?${past}`]]);
    expect([(await get(`${path()}?${past}`)).text, await stored()]).toEqual([expect.stringContaining(done), []]);
  });

  test('keep the fields of a form with faults, and say what is wrong next to the fields', async () => {
    const { name, newPath, stored } = helpersOf(kase);
    const sent = { ...form(name), ...faulty };

    const { status, text } = await post(newPath(), sent);

    expect([status, Object.keys(faultsOf(text)), await stored()]).toEqual([422, faults, []]);
    expect(text).toContain('Nothing was saved. One field is not valid.');
    expect(formAt(text, newPath())).toMatchObject(sent);
  });

  test('delete one once where the form is sent twice', async () => {
    const { path, create, ask, deletion } = helpersOf(kase);
    const id = await create();
    const asked = await ask(id);

    for (const _ of ['once', 'again']) {
      expect(locationsOf([await post(deletion(id), asked)])).toEqual([[303, `${path()}?${past}`]]);
    }
  });

  test('allow as many as the API', async () => {
    const { name, path, newPath, hasPages, fill, stored } = helpersOf(kase);
    await fill();

    const { text } = await get(path());
    const rejected = await post(newPath(), form(name));

    expect(text).toContain(`There are ${limit}, and there can be no more.`);
    expect([text.includes('class="button"'), formAt(text, newPath())]).toEqual([false, undefined]);
    expect([rejected.status, rejected.text]).toEqual([
      422,
      expect.stringContaining(
        `Nothing was saved. There can be at most ${limit.toLocaleString('en')}. Remove one first.`,
      ),
    ]);
    if (hasPages) expect(formAt(rejected.text, newPath())).toMatchObject(form(name));
    expect(await stored()).toHaveLength(limit);
  });

  test('show the same 404 for a website of another account, one that is gone, and an unknown id', async () => {
    const { name, path, newPath, pathOf, one, deletion, create, stored, hasPages } = helpersOf(kase);
    const [foreign, gone] = [await pages.addWebsite({}, pages.otherAccountId), await pages.addWebsite()];
    await pages.repositories.websites.delete(pages.accountId, gone.id, undefined, UNRECORDED);
    const id = await create();
    const lists = kind === 'webhook' ? [] : [foreign.id, gone.id, newId(), 'x'].map(pathOf);
    const written = [newPath(), ...(kase.change ? [one(id)] : []), deletion(id)];

    for (const list of lists) {
      expect((await get(list)).status).toBe(404);
      const elsewhere = written.map((address) => address.replace(path(), list));
      for (const address of elsewhere) {
        if (hasPages) expect((await get(address)).status).toBe(404);
        for (const sent of [form(name), { ...form(name), action: 'preview' }]) {
          expect((await post(address, sent)).status).toBe(404);
        }
      }
    }
    for (const unknown of kase.change ? [newId(), 'x'] : []) {
      if (hasPages) expect((await get(one(unknown))).status).toBe(404);
      expect((await post(one(unknown), form(name))).status).toBe(404);
    }
    if (kind !== 'webhook') {
      const other = pathOf((await pages.addWebsite()).id);
      if (kase.change) expect((await post(one(id).replace(path(), other), form(name))).status).toBe(404);
      await post(deletion(id).replace(path(), other), {});
    }
    expect(await stored()).toMatchObject([{ id }]);
  });

  test('are the account’s alone', async () => {
    const { name, path, newPath, one, deletion, create, stored } = helpersOf(kase);
    const id = await create();
    const before = await stored();
    ({ cookies } = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.otherAccountId) }));

    const list = await get(path());
    if (kind === 'webhook') expect(list.text).not.toContain(id);
    else expect([list.status, (await post(newPath(), form(name))).status]).toEqual([404, 404]);
    if (kase.change) expect((await post(one(id), form(name))).status).toBe(404);
    await post(deletion(id), {});
    expect(await stored()).toEqual(before);
  });

  test('change nothing with a key of scope read, and say so', async () => {
    const { name, path, newPath, one, deletion, hasPages, create, stored } = helpersOf(kase);
    const id = await create();
    const before = await stored();
    ({ cookies } = await signIn(pages, 'read'));

    const list = await get(path());
    const forms = hasPages ? [await get(newPath()), await get(one(id)), await get(deletion(id))] : [];
    const written = [newPath(), ...(kase.change ? [one(id)] : []), deletion(id)];
    const statuses = await Promise.all(written.map(async (address) => (await post(address, form(name))).status));

    for (const { text } of [list, ...forms]) expect(text).toContain('You are signed in with a read-only key');
    for (const { text } of forms) expect(text).toMatch(/<fieldset class="(?:all|buttons)" disabled>/);
    const verbs = / (?:Change Delete|Change|Revoke|Delete)$/;
    expect(wordsOf(list.text)).toEqual([row(name).replace(verbs, hasPages ? ' Show' : '')]);
    expect([list.text.includes('class="button"'), formAt(list.text, newPath())]).toEqual([false, undefined]);
    expect([new Set(statuses), await stored()]).toEqual([new Set([403]), before]);
  });

  test('need a session, and reject writes from other sites', async () => {
    const { name, path, newPath, one, deletion, create, stored } = helpersOf(kase);
    const id = await create();
    const before = await stored();
    const written = [newPath(), ...(kase.change ? [one(id)] : []), deletion(id)];

    for (const address of [path(), ...written]) {
      const { status, headers } = await pages.send('GET', address);
      expect([status, headers.location, headers['cache-control']]).toEqual([303, signInPath(address), 'no-store']);
    }
    for (const address of written) {
      const foreign = { cookies, headers: { origin: 'https://evil.example' } };
      expect((await postForm(pages, address, form(name), foreign)).status).toBe(403);
      expect((await postForm(pages, address, form(name))).status).toBe(303);
    }
    expect(await stored()).toEqual(before);
  });
});

const CHANGING = CASES.filter(({ change }) => change !== undefined);

describe.each(CHANGING)('the pages of every $kind, which can change,', (kase) => {
  const { kind, form, row, faulty, faults, change = { fields: {}, row, words: '' } } = kase;

  test('change one, and say so', async () => {
    const { name, path, one, create, open } = helpersOf(kase);
    const id = await create();

    const changed = await post(one(id).toUpperCase().replace(path().toUpperCase(), path()), {
      ...(await open(id)),
      ...change.fields,
    });

    expect(locationsOf([changed])).toEqual([[303, `${kind === 'webhook' ? one(id) : path()}?saved`]]);
    expect((await get(String(changed.headers.location))).text).toContain('Saved.');
    expect(wordsOf((await get(path())).text)).toEqual([change.row(name)]);
  });

  test('keep the fields of a form with faults, and what is stored', async () => {
    const { one, create, open, stored } = helpersOf(kase);
    const id = await create();
    const before = await stored();
    const sent = { ...(await open(id)), ...faulty };

    const { status, text } = await post(one(id), sent);

    expect([status, Object.keys(faultsOf(text)), await stored()]).toEqual([422, faults, before]);
    expect(formAt(text, one(id))).toEqual(sent);
  });

  test('keep the version of one whose form is sent as it was shown', async () => {
    const { one, create, open, stored, name } = helpersOf(kase);
    const id = await create();
    const before = await stored();
    pages.clock.advance(60_000);

    const shown = await open(id);
    const { status } = await post(one(id), shown);

    expect(shown).toMatchObject(form(name));
    expect([status, await stored()]).toEqual([303, before]);
  });

  test('save a change once whose form is sent twice', async () => {
    const { one, create, open, stored } = helpersOf(kase);
    const id = await create();
    const sent = { ...(await open(id)), ...change.fields };

    await post(one(id), sent);
    const once = await stored();
    pages.clock.advance(1);
    const again = await post(one(id), sent);

    expect([again.status, await stored()]).toEqual([303, once]);
  });

  test('do not lose a change made elsewhere: the form shows that, and saves when it is sent again', async () => {
    const { name, path, one, create, open } = helpersOf(kase);
    const id = await create();
    const opened = await open(id);
    pages.clock.advance(1);
    await post(one(id), { ...opened, ...change.fields });
    const mine = kind === 'webhook' ? { url: 'https://mine.example/' } : { name: '<mine>', text: '<mine>' };

    const rejected = await post(one(id), { ...opened, ...faulty });
    const sent = { ...formAt(rejected.text, one(id)), ...form(name), ...mine };
    const stale = await post(one(id), sent);

    expect([rejected.status, stale.status]).toEqual([422, 409]);
    expect(wordsOf((await get(path())).text)).toEqual([change.row(name)]);
    expect(stale.text).toContain('Nothing was saved. It was changed elsewhere after you opened this page.');
    expect(plain(stale)).toMatch(/It is now: .*\. Save again to replace this\./);
    expect(plain(stale)).toContain(`${change.words}. Save again`);
    const again = await post(one(id), formAt(stale.text, one(id)) ?? {});
    const mineInList = kind === 'webhook' ? 'mine.example' : '<mine>';
    expect([again.status, wordsOf((await get(path())).text)]).toEqual([303, [row(mineInList)]]);
  });

  test('can add one again that was deleted elsewhere while its form was open', async () => {
    const { name, path, one, newPath, deletion, create, open } = helpersOf(kase);
    const id = await create();
    const opened = await open(id);
    await post(deletion(id), {});

    const gone = await post(one(id), { ...opened, ...change.fields });
    const refused = await post(newPath(), { ...formAt(gone.text, newPath()), ...faulty });

    expect([gone.status, gone.text]).toEqual([
      404,
      expect.stringContaining('Nothing was saved. It was deleted elsewhere after you opened this page.'),
    ]);
    expect(refused.status).toBe(422);
    await post(newPath(), formAt(gone.text, newPath()) ?? {});
    expect(wordsOf((await get(path())).text)).toEqual([change.row(name)]);
  });
});

const PAGES = CASES.filter(({ forms }) => forms === 'page');

test.each(PAGES)('no $kind is deleted that was changed meanwhile, until that was seen', async (kase) => {
  const { name, path, one, deletion, create, open, ask } = helpersOf(kase);
  const id = await create();
  const asked = await ask(id);
  pages.clock.advance(1);
  await post(one(id), { ...(await open(id)), ...kase.change?.fields });

  const rejected = await post(deletion(id), asked);

  const [words] = wordsOf((await get(path())).text);
  expect([rejected.status, words]).toEqual([409, kase.change?.row(name)]);
  expect(rejected.text).toContain('Nothing was deleted. It was changed elsewhere');
  expect((await post(deletion(id), formAt(rejected.text, deletion(id)) ?? {})).status).toBe(303);
});

describe.each(CASES.slice(0, 3))('the form of a $kind', (kase) => {
  const { form, row, change } = kase;

  test('says next to the name that it is taken', async () => {
    const { newPath, one, create } = helpersOf(kase);
    await create('Taken');
    const id = await create('Other');

    const created = await post(newPath(), { ...form('Taken'), ...change?.fields });
    const renamed = await post(one(id), form('Taken'));

    for (const { status, text } of [created, renamed]) {
      expect([status, faultsOf(text)]).toEqual([
        422,
        { name: ['The website already has another one with this name.'] },
      ]);
    }
  });

  test('creates one that is sent twice once, even if it is the last that is allowed', async () => {
    const { path, newPath, fill, stored } = helpersOf(kase);
    await fill(1);

    const sent = [await post(newPath(), form('last')), await post(newPath(), form('last'))];
    const other = await post(newPath(), { ...form('last'), ...change?.fields });

    expect(locationsOf(sent)).toEqual([
      [303, `${path()}?saved`],
      [303, `${path()}?saved`],
    ]);
    expect([other.status, (await stored()).length]).toEqual([422, kase.limit]);
  });

  test('has a preview, which needs no name and saves nothing', async () => {
    const { name, path, one, create, open } = helpersOf(kase);
    const id = await create();
    const sent = { ...(await open(id)), ...change?.fields, name: '', action: 'preview' };

    const preview = await post(one(id), sent);
    const faulty = await post(one(id), { ...sent, ...kase.faulty });

    expect([preview.status, preview.text]).toEqual([200, expect.stringContaining('In the last 28 days, ')]);
    expect(formAt(preview.text, one(id))).toMatchObject({ ...change?.fields, name: '' });
    expect([faulty.status, faulty.text]).toEqual([422, expect.stringContaining('There is no preview. One field is')]);
    expect(wordsOf((await get(path())).text)).toEqual([row(name)]);
  });
});
