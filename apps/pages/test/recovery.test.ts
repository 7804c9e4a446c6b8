import { randomBytes } from 'node:crypto';
import { MONOTONIC_CLOCK } from '@hitherto/domain/base';
import { COMMAND_LINE } from '@hitherto/domain/changes';
import { sendDueMails } from '@hitherto/domain/mails';
import { makeSignInLink, prepareSetup } from '@hitherto/domain/people';
import type { NoticeMail } from '@hitherto/domain/reports';
import { wholeAccount } from '@hitherto/domain/websites';
import { newId } from '@hitherto/outside/system';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { ENGLISH } from '@hitherto/words';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultsOf, postForm } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest, withoutIds } from './support/pages.ts';

// Ways back in, and addresses that are confirmed (people.md, "Recovery").

const PASSWORD = 'correct horse battery';
const OTHER = 'another long password';
type Cookies = Received['cookies'];

let pages: PagesUnderTest;
let owner: Cookies;
let mails: NoticeMail[];
let hashed: number;

beforeEach(async () => {
  hashed = 0;
  await start(true);
});

async function start(mailsPeople: boolean): Promise<void> {
  const passwords = {
    hash: (text: string) => quickHasher.hash(text),
    verify: (hash: string, text: string) => {
      hashed += 1;
      return quickHasher.verify(hash, text);
    },
  };
  pages = await startPagesForTest({ mailsPeople, passwords });
  mails = [];
  const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes };
  const token = await prepareSetup(deps, pages.accountId, undefined);
  const form = { email: 'owner@example.com', name: 'Ægir', password: PASSWORD };
  owner = (await postForm(pages, `/setup/${token}`, form)).cookies;
}

const get = (path: string, cookies: Cookies = {}) => pages.send('GET', path, { cookies });
const post = (path: string, form: Record<string, string>, cookies: Cookies = {}) =>
  postForm(pages, path, form, { cookies });
const signInAs = (email: string, password = PASSWORD) => post('/sign-in', { email, password });
const ownerNow = () => pages.repositories.people.findByEmail('owner@example.com');
const isSignedIn = async (cookies: Cookies) => (await get('/you', cookies)).status === 200;

/** Sends the mails that wait; resolves to the paths of their links, by recipient. */
async function sendMails(): Promise<Map<string, string>> {
  const links = new Map<string, string>();
  const paths = {
    invitation: '/invitations',
    password_link: '/reset',
    address_link: '/you/address',
    recipient: '/confirm',
  } as const;
  await sendDueMails({
    ...pages.repositories,
    randomBytes,
    now: pages.clock.now,
    clock: MONOTONIC_CLOCK,
    origin: 'https://stats.example',
    messageHost: 'stats.example',
    locale: ENGLISH,
    linkOf: (kind, token) => `${paths[kind]}/${token}`,
    onMail: () => {},
    mailer: {
      async notify(mail) {
        mails.push(mail);
        if (mail.link !== undefined) links.set(mail.to, mail.link.url);
      },
    },
  });
  return links;
}

/** Confirms the owner's address. */
async function confirm(): Promise<void> {
  await post('/you/address', { email: 'owner@example.com' }, owner);
  const link = (await sendMails()).get('owner@example.com') ?? '';
  expect((await post(link, {}, owner)).status).toBe(303);
}

/** Asks for a new password; resolves to the path of the link that is mailed. */
async function forgot(email = 'owner@example.com'): Promise<string> {
  expect((await post('/forgot', { email })).status).toBe(200);
  return (await sendMails()).get(email) ?? '';
}

describe('an invitation, with a mail server', () => {
  const invite = async (email: string) =>
    post(`/accounts/${pages.accountId}/invitations`, { email, role: 'viewer', reach: 'all' }, owner);

  test('is mailed and not shown, and verifies the address', async () => {
    const { status, text } = await invite('new@example.com');
    const link = (await sendMails()).get('new@example.com') ?? '';
    expect([status, text]).toEqual([201, expect.stringContaining('on its way to new@example.com')]);
    expect(text).not.toContain(link);

    expect((await post(link, { name: 'new', password: PASSWORD })).status).toBe(303);
    expect((await pages.repositories.people.findByEmail('new@example.com'))?.isVerified).toBe(true);
  });

  test('verifies the address of somebody who has a sign-in', async () => {
    await invite('owner@example.com');
    const link = (await sendMails()).get('owner@example.com') ?? '';
    await post(link, {}, owner);
    expect((await ownerNow())?.isVerified).toBe(true);
  });

  test('says nothing of whether the address has a sign-in', async () => {
    const alike = ({ text, ...response }: Received) => ({
      ...withoutIds({
        ...response,
        text: text.replaceAll(/[\w-]+@example\.com/g, 'ADDRESS').replaceAll(/[\da-f-]{36}/g, ''),
      }),
    });
    const known = alike(await invite('owner@example.com'));
    await start(true);
    expect(alike(await invite('nobody@example.com'))).toEqual(known);
  });
});

describe('a new password by mail', () => {
  test('is chosen with a link that works once, for an hour, and ends all sessions', async () => {
    await confirm();
    const link = await forgot();
    expect((await get(link)).text).toContain('owner@example.com');
    expect(Object.keys(faultsOf((await post(link, { password: 'short' })).text))).toEqual(['password']);
    const { status, cookies } = await post(link, { password: OTHER });

    expect([status, await isSignedIn(cookies), await isSignedIn(owner)]).toEqual([303, true, false]);
    expect((await signInAs('owner@example.com')).status).toBe(403);
    expect((await signInAs('owner@example.com', OTHER)).status).toBe(303);
    expect([(await get(link)).status, (await post(link, { password: PASSWORD })).status]).toEqual([404, 404]);
    await sendMails();
    expect(mails.at(-1)).toMatchObject({ to: 'owner@example.com', subject: 'Your password was changed' });

    const late = await forgot();
    pages.clock.advance(60 * 60_000);
    expect((await get(late)).status).toBe(404);
  });

  test('is no longer chosen with a link from before the password was changed', async () => {
    await confirm();
    const link = await forgot();
    await post('/you/password', { current_password: PASSWORD, password: OTHER }, owner);
    expect((await get(link)).status).toBe(404);
  });

  test('is chosen once, even if two do so at once', async () => {
    await confirm();
    const link = await forgot();
    const results = await Promise.all([post(link, { password: OTHER }), post(link, { password: `${OTHER}!` })]);
    expect(results.map(({ status }) => status).sort()).toEqual([303, 404]);
  });

  test('is not mailed to an address that nobody has confirmed, nor more than three times an hour', async () => {
    expect(await forgot()).toBe('');
    await confirm();
    const links = [await forgot(), await forgot(), await forgot(), await forgot()];
    // One was asked for before the address was confirmed.
    expect(links.map((link) => link !== '')).toEqual([true, true, false, false]);
    pages.clock.advance(60 * 60_000);
    expect(await forgot()).not.toBe('');
  });

  test('is asked for with the same response and the same work, whatever the address', async () => {
    await confirm();
    const calls: string[][] = [];
    for (const port of ['people', 'personLinks'] as const) {
      for (const name of Object.keys(pages.repositories[port])) watch(pages.repositories[port], name, calls);
    }
    const asked: unknown[] = [];
    for (const email of ['owner@example.com', 'nobody@example.com']) {
      calls.push([]);
      const { text, ...response } = await post('/forgot', { email });
      asked.push({ ...withoutIds({ ...response, text: text.replaceAll(email, 'ADDRESS') }) });
    }

    expect(asked[0]).toEqual(asked[1]);
    expect(calls).toEqual([['insert'], ['insert']]);
    expect(hashed).toBe(0);
  });

  test('is asked for thirty times an hour by a network, of any addresses', async () => {
    for (let count = 0; count < 30; count += 1) await post('/forgot', { email: `${count}@example.com` });
    const { status, headers } = await post('/forgot', { email: 'owner@example.com' });
    expect([status, Number(headers['retry-after'])]).toEqual([429, expect.any(Number)]);
  });

  test('needs an address, and a mail server', async () => {
    expect(Object.keys(faultsOf((await post('/forgot', { email: 'x' })).text))).toEqual(['email']);
    await start(false);
    expect((await get('/forgot')).text).toContain('sends no mails');
    expect((await post('/forgot', { email: 'owner@example.com' })).status).toBe(409);
  });
});

/** Notes each call of a method in the last list. */
function watch(port: object, name: string, calls: string[][]): void {
  const method: unknown = Reflect.get(port, name);
  if (typeof method !== 'function') return;
  Reflect.set(port, name, (...given: unknown[]) => {
    calls.at(-1)?.push(name);
    return Reflect.apply(method, port, given);
  });
}

describe('a link that signs in', () => {
  async function makeLink(): Promise<string> {
    const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes, author: COMMAND_LINE };
    const person = await ownerNow();
    return `/reset/${person === undefined ? '' : await makeSignInLink(deps, person)}`;
  }

  test('works once, for 15 minutes, and keeps the password', async () => {
    const link = await makeLink();
    expect((await get(link)).text).toContain('Leave it empty');
    const { status, cookies } = await post(link, { password: '' });

    expect([status, await isSignedIn(cookies), await isSignedIn(owner)]).toEqual([303, true, true]);
    expect((await post(link, { password: '' })).status).toBe(404);
    const late = await makeLink();
    pages.clock.advance(15 * 60_000);
    expect((await get(late)).status).toBe(404);
  });

  test('is in the audit trail of their accounts, and they are told', async () => {
    await confirm();
    await makeLink();
    const { entries } = await pages.repositories.audit.list(wholeAccount(pages.accountId), {}, 1);
    expect(entries).toMatchObject([
      {
        action: 'member.updated',
        actor: { type: 'command_line' },
        subject: { name: 'Ægir' },
        changes: [{ field: 'sign_in_link', change: 'set' }],
      },
    ]);
    await sendMails();
    expect(mails.at(-1)).toMatchObject({ to: 'owner@example.com', subject: 'A sign-in link was made for you' });
  });

  test('asks for the second factor, unless it was made to turn that off', async () => {
    const person = await ownerNow();
    const deps = { ...pages.repositories, now: pages.clock.now, newId, randomBytes, author: COMMAND_LINE };
    const app = { personId: person?.id ?? '', secret: 'A'.repeat(32), step: 1, since: pages.clock.now() };
    await pages.repositories.secondFactors.turnOn(app, [], '');
    if (person === undefined) throw new Error('The owner is gone.');

    const asked = await post(`/reset/${await makeSignInLink(deps, person)}`, { password: '' });
    expect([asked.headers.location, await isSignedIn(asked.cookies)]).toEqual(['/sign-in/second-factor', false]);
    const link = `/reset/${await makeSignInLink(deps, person, true)}`;
    expect(await pages.repositories.secondFactors.find(person.id)).toBeUndefined();
    const { cookies } = await post(link, { password: '' });
    expect(await isSignedIn(cookies)).toBe(true);
    const { entries } = await pages.repositories.audit.list(wholeAccount(pages.accountId), {}, 1);
    expect(entries[0]?.changes).toContainEqual({ field: 'second_factor', change: 'removed' });
  });

  test('can set a new password, without which nobody could who has lost theirs', async () => {
    const { status } = await post(await makeLink(), { password: OTHER });
    expect([status, await isSignedIn(owner)]).toEqual([303, false]);
    expect((await signInAs('owner@example.com', OTHER)).status).toBe(303);
  });
});

describe('an address', () => {
  test('counts once its link was opened, by the person alone', async () => {
    await confirm();
    const form = { email: 'new@example.com', current_password: PASSWORD };
    expect((await post('/you/address', form, owner)).text).toContain('on its way to');
    const link = (await sendMails()).get('new@example.com') ?? '';
    expect((await ownerNow())?.email).toBe('owner@example.com');

    // Nobody else can be made to confirm it, and looking changes nothing.
    expect((await get(link)).headers.location).toMatch(/^\/\?next=/);
    const stranger = await join('stranger@example.com');
    expect([(await get(link, stranger)).status, (await post(link, {}, stranger)).status]).toEqual([404, 404]);
    expect((await get(link, owner)).text).toContain('new@example.com');
    const other = (await signInAs('owner@example.com')).cookies;
    expect((await post(link, {}, owner)).status).toBe(303);

    expect(await pages.repositories.people.findByEmail('new@example.com')).toMatchObject({ isVerified: true });
    expect([await isSignedIn(owner), await isSignedIn(other)]).toEqual([true, false]);
    mails = [];
    await sendMails();
    expect(mails).toMatchObject([{ to: 'owner@example.com', subject: 'Your address was changed' }]);
    expect((await post(link, {}, owner)).status).toBe(404);
  });

  test('changes with the present password only, and is confirmed without it', async () => {
    const changed = await post('/you/address', { email: 'new@example.com', current_password: 'wrong' }, owner);
    expect([changed.status, Object.keys(faultsOf(changed.text))]).toEqual([422, ['current_password']]);
    expect((await post('/you/address', { email: 'OWNER@example.com' }, owner)).status).toBe(200);
  });

  test('is not mailed to more than three times an hour', async () => {
    for (let count = 0; count < 3; count += 1) await post('/you/address', { email: 'owner@example.com' }, owner);
    const { status, text } = await post('/you/address', { email: 'owner@example.com' }, owner);
    expect([status, Object.keys(faultsOf(text))]).toEqual([422, ['email']]);
  });

  test('of somebody else is not told by the form, and cannot be taken', async () => {
    await confirm();
    const thief = await join('thief@example.com');
    const form = { email: 'owner@example.com', current_password: PASSWORD };
    expect((await post('/you/address', form, thief)).status).toBe(200);
    const link = (await sendMails()).get('owner@example.com') ?? '';
    expect((await post(link, {}, thief)).status).toBe(409);
  });

  test('counts at once and unconfirmed without a mail server', async () => {
    await start(false);
    const other = (await signInAs('owner@example.com')).cookies;
    const form = { email: 'new@example.com', current_password: PASSWORD };
    expect((await post('/you/address', form, owner)).status).toBe(303);

    expect(await pages.repositories.people.findByEmail('new@example.com')).toMatchObject({ isVerified: false });
    expect([await isSignedIn(owner), await isSignedIn(other)]).toEqual([true, false]);
    await join('taken@example.com');
    const taken = await post('/you/address', { ...form, email: 'Taken@example.com' }, owner);
    expect([taken.status, Object.keys(faultsOf(taken.text))]).toEqual([409, ['email']]);
  });
});

test('no token of a link is in the log, and no page of one sends it on', async () => {
  await confirm();
  const link = await forgot();
  const { headers } = await get(link);
  await post('/you/address', { email: 'new@example.com', current_password: PASSWORD }, owner);
  const address = (await sendMails()).get('new@example.com') ?? '';
  const opened = await get(address, owner);
  await get((await get(address)).headers.location?.toString() ?? '');
  await post(link, { password: OTHER });

  expect([headers['referrer-policy'], opened.headers['referrer-policy']]).toEqual(['strict-origin', 'strict-origin']);
  for (const path of [link, address]) expect(pages.logs.join()).not.toContain(path.split('/').at(-1));
});

/** Adds a viewer, who is then signed in. */
async function join(email: string): Promise<Cookies> {
  const invited = await post(
    `/accounts/${pages.accountId}/invitations`,
    { email, role: 'viewer', reach: 'all' },
    owner,
  );
  const shown = /<code>([^<]*)<\/code>/.exec(invited.text)?.[1];
  const link = shown === undefined ? ((await sendMails()).get(email) ?? '') : new URL(shown).pathname;
  return (await post(link, { name: email, password: PASSWORD })).cookies;
}
