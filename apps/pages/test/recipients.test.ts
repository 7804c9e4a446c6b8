import { randomBytes } from 'node:crypto';
import { confirmToken } from '@hitherto/domain/reports';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, postForm } from './support/owner.ts';
import { type PagesUnderTest, startPagesForTest } from './support/pages.ts';
import { addPeople } from './support/people.ts';

// Further recipients of reports (reports.md): the owner's page, and the page that confirms.

let pages: PagesUnderTest;
let cookies: Readonly<Record<string, string>>;
let path: string;
let website: Awaited<ReturnType<PagesUnderTest['addWebsite']>>;

beforeEach(async () => {
  pages = await startPagesForTest();
  website = await pages.addWebsite({ url: 'https://shop.example' });
  cookies = { hitherto_session: (await addPeople(pages, website)).sessions.owner };
  path = `/websites/${website.id}/recipients`;
});

const add = (email: string) => postForm(pages, path, { email }, { cookies });
const show = async () => (await pages.send('GET', path, { cookies })).text;
const stored = async () =>
  (await pages.repositories.recipients.list({ accountId: pages.accountId, websiteId: website.id })) ?? [];

/** The path of the page that confirms, as a mail has it. */
async function linkTo(email: string): Promise<string> {
  await pages.repositories.recipients.ask(pages.clock.now());
  const recipient = (await stored()).find((each) => each.email === email);
  if (recipient === undefined) throw new Error('There is no such recipient.');
  return `/reports/confirm/${await confirmToken({ ...pages.repositories, randomBytes }, recipient)}`;
}

describe('the recipients of a website', () => {
  test('are added, listed with their state, and removed', async () => {
    expect((await add(' client@example.com ')).status).toBe(303);
    expect(await show()).toMatch(/client@example\.com.*Will be asked by mail/s);
    const link = await linkTo('client@example.com');
    expect(await show()).toContain('Asked on 20 November 2026');
    await pages.send('POST', link);
    expect(await show()).toContain('Confirmed on 20 November 2026');

    const [recipient] = await stored();
    await postForm(pages, `${path}/${recipient?.id}/delete`, {}, { cookies });
    expect(await stored()).toEqual([]);
  });

  test('are told that no mail is sent, and what is wrong with an address', async () => {
    await add('client@example.com');

    const [twice, none] = [await add('CLIENT@example.com'), await add('x')];

    expect([twice.status, none.status]).toEqual([422, 422]);
    expect(faultsOf(twice.text)).toEqual({ email: ['The website has this address already.'] });
    expect(faultsOf(none.text)).toEqual({
      email: ['Enter one e-mail address, such as you@example.com, of at most 254 bytes.'],
    });
    expect(await show()).toContain('This installation sends no mails');
  });
});

describe('the page that confirms', () => {
  test('changes nothing when it is opened, and confirms at its button', async () => {
    await add('client@example.com');
    const link = await linkTo('client@example.com');

    const opened = await pages.send('GET', link);
    expect(opened.text).toMatch(/Reports about <bdi>shop\.example<\/bdi> will go to <bdi>client@example\.com<\/bdi>/);
    expect(await stored()).toMatchObject([{ confirmedAt: null }]);
    expect(opened.headers['referrer-policy']).toBe('strict-origin');

    const confirmed = await pages.send('POST', link);
    expect(confirmed.text).toContain('You get the reports');
    expect(await stored()).toMatchObject([{ confirmedAt: pages.clock.now() }]);
    expect((await pages.send('GET', link)).text).toContain('You get the reports');
  });

  test('is not found with another token, and its token and address are in no log', async () => {
    await add('client@example.com');
    const link = await linkTo('client@example.com');
    await pages.send('POST', link);

    for (const wrong of [`${link}x`, '/reports/confirm/x', '/reports/confirm/%00']) {
      expect((await pages.send('GET', wrong)).status).toBe(404);
      expect((await pages.send('POST', wrong)).status).toBe(404);
    }
    const token = link.slice(link.lastIndexOf('.') + 1);
    expect(pages.logs.join('')).not.toMatch(new RegExp(`client@|${token}`));
  });
});
