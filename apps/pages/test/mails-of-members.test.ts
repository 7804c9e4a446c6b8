import { randomBytes } from 'node:crypto';
import { UNRECORDED } from '@hitherto/domain/changes';
import { SESSION_MS, startSession } from '@hitherto/domain/people';
import { unsubscribeToken } from '@hitherto/domain/reports';
import type { Website } from '@hitherto/domain/websites';
import { aMember, anInvitation, aPerson } from '@hitherto/testing/people';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, describe, expect, test } from 'vitest';
import { unsubscribePath } from '../src/shared/paths.ts';
import { postForm } from './support/owner.ts';
import { NO_BROWSER, type PagesUnderTest, startPagesForTest } from './support/pages.ts';

// The mails about websites that members turn on (people.md, "Mails").

const reportMailing = {
  mailer: { send: async () => {} },
  linksOf: async () => ({ pageUrl: undefined, unsubscribeUrl: undefined }),
  messageHost: 'stats.example',
  locale: ENGLISH,
};

let pages: PagesUnderTest;
let seen: Website;
let hidden: Website;

beforeEach(async () => {
  pages = await startPagesForTest({ reportMailing });
  [seen, hidden] = [await pages.addWebsite(), await pages.addWebsite()];
});

/** Adds a viewer of one website, who is signed in. */
async function addViewer({ isVerified = true } = {}) {
  const person = aPerson({ isVerified });
  const invitation = anInvitation({ accountId: pages.accountId, email: person.email });
  await pages.repositories.people.insertInvitation(invitation, UNRECORDED);
  const granted = { role: 'viewer', websiteIds: [seen.id] } as const;
  const member = aMember({ accountId: pages.accountId, personId: person.id, ...granted });
  await pages.repositories.people.acceptInvitation(invitation.tokenHash, person, member, UNRECORDED);
  const deps = { ...pages.repositories, now: pages.clock.now, randomBytes };
  const session = await startSession(deps, { personId: person.id }, NO_BROWSER, SESSION_MS);
  return { person, cookies: { hitherto_session: session } };
}

const subscriptionsOf = (id: string) => pages.repositories.subscriptions.list(id);

describe('the mails on /you', () => {
  test('are of the websites that the person sees', async () => {
    const { person, cookies } = await addViewer();
    const { text } = await pages.send('GET', '/you', { cookies });
    expect([text.includes(seen.id), text.includes(hidden.id)]).toEqual([true, false]);

    const form = `weekly=${seen.id}&weekly=${hidden.id}&alerts=${seen.id}`;
    expect((await postForm(pages, '/you/mails', form, { cookies })).status).toBe(303);
    expect(await subscriptionsOf(person.id)).toEqual([
      { websiteId: seen.id, reportsSince: { weekly: pages.clock.now(), monthly: null }, alerts: true },
    ]);
    expect((await pages.send('GET', '/you', { cookies })).text.match(/<input[^>]* checked/g)).toHaveLength(2);
    await postForm(pages, '/you/mails', '', { cookies });
    expect(await subscriptionsOf(person.id)).toEqual([]);
  });

  test('need a confirmed address, and a mail server', async () => {
    const { cookies } = await addViewer({ isVerified: false });
    expect((await pages.send('GET', '/you', { cookies })).text).toContain('Confirm your address to get mails.');
    pages = await startPagesForTest();
    const { cookies: others } = await addViewer();
    expect((await pages.send('GET', '/you', { cookies: others })).text).toContain('This installation sends no mails.');
  });
});

describe('the unsubscribe link of a person', () => {
  test('turns off their reports of the website alone', async () => {
    const [{ person, cookies }, other] = [await addViewer(), await addViewer()];
    for (const each of [cookies, other.cookies]) {
      await postForm(pages, '/you/mails', `weekly=${seen.id}&monthly=${seen.id}&alerts=${seen.id}`, { cookies: each });
    }
    const token = await unsubscribeToken({ ...pages.repositories, randomBytes }, seen.id, {
      kind: 'weekly',
      personId: person.id,
    });
    const path = unsubscribePath(seen.id, token);

    expect((await pages.send('GET', path)).text).toContain('Stop these reports');
    expect((await pages.send('POST', path, { form: {} })).text).toContain('Weekly reports are off');
    expect((await pages.send('GET', path)).text).toContain('Weekly reports are off');
    expect(await subscriptionsOf(person.id)).toMatchObject([
      { reportsSince: { weekly: null, monthly: pages.clock.now() }, alerts: true },
    ]);
    expect(await subscriptionsOf(other.person.id)).toMatchObject([{ reportsSince: { weekly: pages.clock.now() } }]);
    expect((await pages.repositories.directory.findById(seen.id))?.website.emailReports).toBe(seen.emailReports);

    const forged = [
      unsubscribePath(seen.id, token.replace(person.id, other.person.id)),
      unsubscribePath(hidden.id, token),
      unsubscribePath(seen.id, token.slice(person.id.length + 1)),
      unsubscribePath(seen.id, `.${token}`),
    ];
    for (const each of forged) expect((await pages.send('POST', each, { form: {} })).status).toBe(404);
  });
});
