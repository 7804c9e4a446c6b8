import { UNRECORDED } from '@hitherto/domain/changes';
import type { Webhook } from '@hitherto/domain/webhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
/** The statuses that the receiver responds with. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  pages = await startPagesForTest({ webhookClient: { send: async () => statuses.shift() ?? 204 } });
  ({ cookies } = await signIn(pages));
});

const FORM = { url: 'https://hooks.example/a', format: 'json', 'website.updated': '1', website_ids: '' };
const stored = async (): Promise<Webhook[]> =>
  (await pages.repositories.webhooks.list({ accountId: pages.accountId })) ?? [];
const add = async (form: Readonly<Record<string, string>> = {}) => {
  const { text } = await postForm(pages, '/webhooks/new', { ...FORM, ...form }, { cookies });
  const webhook = (await stored()).at(-1);
  if (webhook === undefined) throw new Error(`No webhook was added:\n${text}`);
  return { webhook, text, path: `/webhooks/${webhook.id}` };
};

describe('the page of webhooks', () => {
  test('adds one, and shows its secret once', async () => {
    const { webhook, text, path } = await add();

    expect(webhook).toMatchObject({ url: FORM.url, events: ['website.updated'], websiteIds: null, isActive: true });
    expect(text).toContain(webhook.secret);
    for (const address of ['/webhooks', path]) {
      const page = await pages.send('GET', address, { cookies });
      expect(page.text).toContain('hooks.example');
      expect(page.text).not.toContain(webhook.secret);
    }
  });

  test('takes websites by their addresses', async () => {
    const [one, two] = [await pages.addWebsite({ url: 'https://a.example/B' }), await pages.addWebsite()];
    await pages.addWebsite({ url: 'https://a.example/B/c' });

    const { webhook, path } = await add({ website_ids: `A.example/B\r\n${two.url}/\r\n\r\n` });

    expect(webhook.websiteIds).toEqual([one.id, two.id]);
    const { text } = await pages.send('GET', path, { cookies });
    expect(formOf(text)).toMatchObject({ website_ids: `a.example/B\r\n${two.url.slice(8)}`, is_active: '1' });
  });

  test('tells websites apart whose paths differ in case only', async () => {
    await pages.addWebsite({ url: 'https://ex.example/A' });
    const { id } = await pages.addWebsite({ url: 'https://ex.example/a' });
    const { path } = await add({ website_ids: 'ex.example/a' });

    const { text } = await pages.send('GET', path, { cookies });
    await postForm(pages, path, { ...formOf(text), 'alert.fired': '1' }, { cookies });

    expect(await stored()).toMatchObject([{ websiteIds: [id], events: ['website.updated', 'alert.fired'] }]);
  });

  test('takes an address that is within those of a hundred others', async () => {
    for (let shop = 1; shop <= 100; shop += 1) {
      await pages.addWebsite({ url: `https://shop${String(shop).padStart(3, '0')}.stores.example` });
    }
    const { id } = await pages.addWebsite({ url: 'https://stores.example' });

    const { webhook } = await add({ website_ids: 'stores.example' });

    expect(webhook.websiteIds).toEqual([id]);
  });

  test('takes an address as pages show it', async () => {
    const { id } = await pages.addWebsite({ url: 'https://xn--bcher-kva.example/%C3%BC' });
    const other = await pages.addWebsite({ url: 'https://ex.example:80' });

    const { webhook } = await add({ website_ids: 'bücher.example/ü\r\nex.example:80' });

    expect(webhook.websiteIds).toEqual([id, other.id]);
  });

  test('saves nothing that has a fault, and says why at the field', async () => {
    const foreign = await pages.addWebsite({}, pages.otherAccountId);
    const { status, text } = await postForm(
      pages,
      '/webhooks/new',
      { url: 'ftp://<é>', format: 'json', website_ids: '' },
      { cookies },
    );
    const unknown = await postForm(pages, '/webhooks/new', { ...FORM, website_ids: foreign.url }, { cookies });

    expect([status, unknown.status, await stored()]).toEqual([422, 422, []]);
    expect(faultsOf(text)).toEqual({ url: expect.anything(), events: ['Choose at least one event.'] });
    expect(formOf(text)).toMatchObject({ url: 'ftp://<é>' });
    expect(faultsOf(unknown.text)).toEqual({
      website_ids: ['Line 1 is not the address of a website of this account.'],
    });
  });

  test('saves what its own form sends, without a change', async () => {
    const website = await pages.addWebsite();
    const { webhook, path } = await add({ format: 'slack', website_ids: website.url });

    const { text } = await pages.send('GET', path, { cookies });
    const saved = await postForm(pages, path, formOf(text), { cookies });

    expect([saved.status, saved.headers.location]).toEqual([303, `${path}?saved`]);
    expect((await pages.send('GET', `${path}?saved`, { cookies })).text).toContain('Saved.');
    expect(await stored()).toEqual([webhook]);
    expect(text).not.toContain('hooks.example/a');
  });

  test('keeps a website that is gone, instead of widening the webhook to all', async () => {
    const website = await pages.addWebsite();
    const { path } = await add({ website_ids: website.url });
    await pages.repositories.websites.delete(pages.accountId, website.id, undefined, UNRECORDED);

    const { text } = await pages.send('GET', path, { cookies });
    await postForm(pages, path, { ...formOf(text), 'alert.fired': '1' }, { cookies });

    expect(await stored()).toMatchObject([{ websiteIds: [website.id], events: ['website.updated', 'alert.fired'] }]);
  });

  test('turns one off and on', async () => {
    const { path } = await add();
    const { text } = await pages.send('GET', path, { cookies });
    const { is_active: _, ...off } = formOf(text);

    await postForm(pages, path, off, { cookies });
    expect(await stored()).toMatchObject([{ isActive: false }]);
    expect((await pages.send('GET', path, { cookies })).text).toContain('The webhook is turned off');
    const { text: shown } = await pages.send('GET', path, { cookies });
    await postForm(pages, path, { ...formOf(shown), is_active: '1' }, { cookies });
    expect(await stored()).toMatchObject([{ isActive: true }]);
  });

  test('does not undo a change made elsewhere: the form shows that, and saves when it is sent again', async () => {
    const { path } = await add();
    const { text } = await pages.send('GET', path, { cookies });
    const { is_active: _, ...off } = formOf(text);
    await postForm(pages, path, { ...off, 'alert.fired': '1' }, { cookies });

    const faulty = await postForm(pages, path, { ...formOf(text), url: 'ftp://<é>' }, { cookies });
    const mine = { ...formOf(faulty.text), url: 'https://hooks.example/é' };
    const stale = await postForm(pages, path, mine, { cookies });

    expect([faulty.status, stale.status]).toEqual([422, 409]);
    expect(stale.text).toContain('Nothing was saved. This webhook was changed elsewhere after you opened this page.');
    expect(stale.text).toContain(
      'It is now: https://hooks.example/a; A website was changed, An alert fired; all websites; turned off.',
    );
    expect(await stored()).toMatchObject([{ url: FORM.url, isActive: false }]);
    expect(formOf(stale.text)).toMatchObject({ url: 'https://hooks.example/é', is_active: '1' });
    await postForm(pages, path, formOf(stale.text), { cookies });
    expect(await stored()).toMatchObject([
      { url: 'https://hooks.example/%C3%A9', isActive: true, events: ['website.updated'] },
    ]);
  });

  test('saves a form once that is sent twice', async () => {
    const { path } = await add();
    const { text } = await pages.send('GET', path, { cookies });
    const form = { ...formOf(text), url: 'https://hooks.example/b', 'alert.fired': '1' };

    await postForm(pages, path, form, { cookies });
    const once = await stored();
    pages.clock.advance(1);
    const again = await postForm(pages, path, form, { cookies });

    expect([again.status, await stored()]).toEqual([303, once]);
  });

  test('offers to add one again that was deleted elsewhere, with its URL if the form has all of it', async () => {
    const [one, chat] = [await add(), await add({ format: 'slack' })];
    const gone = [];
    for (const { path } of [one, chat]) {
      const opened = formOf((await pages.send('GET', path, { cookies })).text);
      await postForm(pages, `${path}/delete`, {}, { cookies });
      gone.push(await postForm(pages, path, opened, { cookies }));
    }

    const [added, hidden] = await Promise.all(
      gone.map(({ text }) => postForm(pages, '/webhooks/new', formOf(text), { cookies })),
    );

    expect(gone.map(({ status }) => status)).toEqual([404, 404]);
    expect(gone[0]?.text).toContain(
      'Nothing was saved. This webhook was deleted elsewhere after you opened this page.',
    );
    expect([added?.status, await stored()]).toMatchObject([201, [{ url: FORM.url, events: ['website.updated'] }]]);
    expect([hidden?.status, Object.keys(faultsOf(hidden?.text ?? ''))]).toEqual([422, ['url']]);
  });

  test('sends a test and shows what became of it', async () => {
    const { path } = await add();
    statuses = [503];

    const test = async () => {
      const { status, headers } = await postForm(pages, `${path}/test`, {}, { cookies });
      expect([status, headers.location]).toEqual([303, expect.stringMatching(`^${path}\\?tested=`)]);
      return pages.send('GET', String(headers.location), { cookies });
    };
    const failed = await test();
    const delivered = await test();

    expect(failed.text).toContain('The test failed. The response had status 503.');
    expect(delivered.text).toContain('The test was delivered: the response had status 204.');
    expect(delivered.text.match(/data-state="\w+"/g)).toEqual(['data-state="delivered"', 'data-state="failed"']);
  });

  test('sends a delivery again', async () => {
    const { webhook, path } = await add();
    statuses = [503];
    await postForm(pages, `${path}/test`, {}, { cookies });
    const [delivery] = await pages.repositories.webhookOutbox.list(pages.accountId, webhook.id, 1);

    const form = { delivery: delivery?.id ?? '' };
    const { status, headers } = await postForm(pages, `${path}/retry`, form, { cookies });
    const retried = await pages.send('GET', `${path}?retried`, { cookies });
    const unknown = await postForm(pages, `${path}/retry`, { delivery: 'x' }, { cookies });

    expect([status, headers.location, unknown.status]).toEqual([303, `${path}?retried`, 404]);
    expect(retried.text).toContain('It is sent again within a few seconds.');
    expect(await pages.repositories.webhookOutbox.list(pages.accountId, webhook.id, 1)).toMatchObject([
      { id: delivery?.id, state: 'pending' },
    ]);
  });

  test('deletes one after asking, also if the form is sent twice', async () => {
    const { path } = await add();

    const { text } = await pages.send('GET', `${path}/delete`, { cookies });
    expect(text).toContain('Delete the webhook');
    for (const _ of [1, 2]) {
      const { status, headers } = await postForm(pages, `${path}/delete`, {}, { cookies });
      expect([status, headers.location]).toEqual([303, '/webhooks?deleted']);
    }

    expect(await stored()).toEqual([]);
  });

  test('is for the account alone, and read-only with a key of scope read', async () => {
    const { path } = await add();
    const foreign = await postForm(pages, '/sign-in', { key: await pages.issueKey(pages.otherAccountId) });
    const reader = await signIn(pages, 'read');

    expect((await pages.send('GET', path)).status).toBe(303);
    expect((await pages.send('GET', path, { cookies: foreign.cookies })).status).toBe(404);
    expect((await postForm(pages, path, FORM, { cookies: foreign.cookies })).status).toBe(404);
    await postForm(pages, `${path}/delete`, {}, { cookies: foreign.cookies });
    expect((await postForm(pages, `${path}/delete`, {}, { cookies: reader.cookies })).status).toBe(403);
    expect((await pages.send('GET', path, { cookies: reader.cookies })).text).not.toContain('Send a test');
    expect((await pages.send('GET', path, { cookies })).text).toContain('Send a test');
    expect(await stored()).toHaveLength(1);
  });

  test('shows its whole URL only to a key of scope write', async () => {
    const { path } = await add({ ...FORM, url: 'https://hooks.example/catch/TOKEN' });
    const reader = await signIn(pages, 'read');

    expect((await pages.send('GET', path, { cookies })).text).toContain('https://hooks.example/catch/TOKEN');
    const { text } = await pages.send('GET', path, { cookies: reader.cookies });
    expect(text).toContain('https://hooks.example/…');
    expect(text).not.toContain('TOKEN');
  });

  test('says to a key of scope read why its forms do nothing', async () => {
    const { path } = await add();
    const reader = await signIn(pages, 'read');

    for (const address of [path, `${path}/delete`, '/webhooks/new']) {
      const notice = 'You are signed in with a read-only key';
      expect((await pages.send('GET', address, { cookies: reader.cookies })).text).toContain(notice);
      expect((await pages.send('GET', address, { cookies })).text).not.toContain(notice);
    }
  });
});
