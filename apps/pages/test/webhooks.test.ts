import { UNRECORDED } from '@hitherto/domain/changes';
import type { Webhook } from '@hitherto/domain/webhooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { webhooksPath } from '../src/shared/paths.ts';
import { faultsOf, formOf, postForm, signIn } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let list: string;
/** The statuses that the receiver responds with. */
let statuses: number[];

beforeEach(async () => {
  statuses = [];
  pages = await startPagesForTest({ webhookClient: { send: async () => statuses.shift() ?? 204 } });
  ({ cookies } = await signIn(pages));
  list = webhooksPath(pages.accountId);
});

const FORM = { url: 'https://hooks.example/a', format: 'json', 'website.updated': '1', website_ids: '' };
const stored = async (): Promise<Webhook[]> =>
  (await pages.repositories.webhooks.list({ accountId: pages.accountId })) ?? [];
const add = async (form: Readonly<Record<string, string>> = {}) => {
  const { text } = await postForm(pages, `${list}/new`, { ...FORM, ...form }, { cookies });
  const webhook = (await stored()).at(-1);
  if (webhook === undefined) throw new Error(`No webhook was added:\n${text}`);
  return { webhook, text, path: `${list}/${webhook.id}` };
};

describe('the page of webhooks', () => {
  test('adds one, and shows its secret once', async () => {
    const { webhook, text, path } = await add();

    expect(webhook).toMatchObject({ url: FORM.url, events: ['website.updated'], websiteIds: null, isActive: true });
    expect(text).toContain(webhook.secret);
    for (const address of [list, path]) {
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
      `${list}/new`,
      { url: 'ftp://<é>', format: 'json', website_ids: '' },
      { cookies },
    );
    const unknown = await postForm(pages, `${list}/new`, { ...FORM, website_ids: foreign.url }, { cookies });

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

  test('has a website named before one whose websites were moved away is turned on again', async () => {
    const website = await pages.addWebsite();
    const { path } = await add({ website_ids: website.url });
    const change = { entry: undefined, event: undefined };
    const changes = { left: change, arrived: change };
    await pages.repositories.websites.move(pages.accountId, website.id, pages.otherAccountId, changes);

    const { text } = await pages.send('GET', path, { cookies });
    const saved = await postForm(pages, path, { ...formOf(text), is_active: '1' }, { cookies });

    expect(saved.status).toBe(422);
    expect(faultsOf(saved.text)).toEqual({ website_ids: ['Line 1 is not the address of a website of this account.'] });
    expect(await stored()).toMatchObject([{ websiteIds: [], isActive: false }]);
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

  test('does not take the shown part of a URL for the URL of a new one', async () => {
    const { path } = await add({ format: 'slack' });
    const opened = formOf((await pages.send('GET', path, { cookies })).text);
    await postForm(pages, `${path}/delete`, {}, { cookies });

    const gone = await postForm(pages, path, opened, { cookies });
    const again = await postForm(pages, `${list}/new`, formOf(gone.text), { cookies });

    expect(formOf(gone.text).url).toBe('https://hooks.example/…');
    expect([again.status, Object.keys(faultsOf(again.text)), await stored()]).toEqual([422, ['url'], []]);
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

  test('shows its whole URL, and offers to send a test, only to a key of scope write', async () => {
    const { path } = await add({ ...FORM, url: 'https://hooks.example/catch/TOKEN' });
    const reader = await signIn(pages, 'read');

    expect((await pages.send('GET', path, { cookies })).text).toMatch(
      /https:\/\/hooks\.example\/catch\/TOKEN.*Send a test/s,
    );
    const { text } = await pages.send('GET', path, { cookies: reader.cookies });
    expect(text).toContain('https://hooks.example/…');
    expect(text).not.toContain('TOKEN');
    expect(text).not.toContain('Send a test');
  });
});
