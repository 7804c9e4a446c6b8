import { randomBytes } from 'node:crypto';
import { issueKey } from '@hitherto/domain/access';
import { COMMAND_LINE, UNRECORDED } from '@hitherto/domain/changes';
import { type GroupRule, invite, makeSignInLink, type Person, prepareSetup } from '@hitherto/domain/people';
import { wholeAccount } from '@hitherto/domain/websites';
import { createIdentityProvider } from '@hitherto/outside/identity-provider';
import { newId } from '@hitherto/outside/system';
import { type IdentityProvider, startIdentityProvider } from '@hitherto/testing/identity-provider';
import { aMember, aPerson } from '@hitherto/testing/people';
import { quickHasher } from '@hitherto/testing/quick-hasher';
import { totpCode } from '@hitherto/testing/totp-code';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postForm } from './support/owner.ts';
import { type PagesUnderTest, type Received, startPagesForTest } from './support/pages.ts';

// Sign-in through a provider (people.md, "Through a provider").

const CALLBACK = 'https://stats.example/sign-in/oidc/callback';
const PASSWORD = 'correct horse battery';
type Cookies = Received['cookies'];

let provider: IdentityProvider;
let pages: PagesUnderTest;

beforeAll(async () => {
  provider = await startIdentityProvider({ callbackUrl: CALLBACK });
});
afterAll(() => provider.close());

beforeEach(async () => {
  provider.quirks = {};
  provider.user = { sub: 'somebody' };
  pages = await start();
});

const start = (rules?: readonly GroupRule[], hasPasswords = true, publicUrl?: string) =>
  startPagesForTest({
    hasPasswords,
    publicUrl,
    provider: {
      client: createIdentityProvider({
        ...provider,
        name: 'Ægir & Staff',
        callbackUrl: CALLBACK,
        groupsClaim: rules && 'groups',
        timeoutMs: 1_000,
      }),
      sessionMs: 8 * 60 * 60 * 1000,
      groupRules: rules,
    },
  });

const depsOf = () => ({
  ...pages.repositories,
  passwords: quickHasher,
  isCommonPassword: () => false,
  now: pages.clock.now,
  newId,
  randomBytes,
  author: COMMAND_LINE,
  request: { requestId: null, network: null },
});

/** Adds an owner of the account. */
async function addOwner(overrides: Partial<Person> = {}): Promise<Person> {
  const person = aPerson({ passwordHash: await quickHasher.hash(PASSWORD), ...overrides });
  const member = aMember({ accountId: pages.accountId, personId: person.id, role: 'owner' });
  await pages.repositories.people.addMember(person, member, UNRECORDED);
  return person;
}

/** Goes to the provider and signs in there; resolves to what leads back. */
async function comeBack(from: Received, cookies: Cookies = {}): Promise<{ path: string; cookies: Cookies }> {
  const refresh = `${from.headers.refresh ?? ''}`.replace('0; url=', '');
  const url = new URL(await provider.authorize(`${from.headers.location ?? refresh}`));
  return { path: url.pathname + url.search, cookies: { ...cookies, ...from.cookies } };
}

const get = (path: string, cookies: Cookies = {}) => pages.send('GET', path, { cookies });

/** Signs in through the provider. */
async function signIn(query = ''): Promise<Received> {
  const { path, cookies } = await comeBack(await get(`/sign-in/oidc${query}`));
  return get(path, cookies);
}

const sessionOf = ({ cookies }: Received) => cookies.hitherto_session ?? '';
const isSignedIn = (received: Received) => sessionOf(received) !== '';
const peopleNow = () => pages.repositories.people.list();
const identityOf = (subject = 'somebody') => ({ issuer: provider.issuer, subject });

describe('the sign-in page', () => {
  test('leads to the provider, and back to the page that was asked for', async () => {
    await addOwner({ identity: identityOf() });
    const { text } = await get('/webhooks').then(({ headers }) => get(`${headers.location}`));
    expect(text).toContain('href="/sign-in/oidc?next=%2Fwebhooks">Sign in with Ægir &amp; Staff</a>');

    const received = await signIn('?next=%2Fwebhooks');
    expect([received.status, received.headers.location]).toEqual([303, '/webhooks']);
    expect((await get('/webhooks', received.cookies)).status).toBe(303);
  });

  test('begins a session as long as the settings say', async () => {
    await addOwner({ identity: identityOf() });
    const received = await signIn();
    expect(`${received.headers['set-cookie']}`).toContain('Max-Age=28800');
    pages.clock.advance(8 * 60 * 60 * 1000);
    expect((await get('/you', received.cookies)).status).toBe(303);
  });

  test('asks for the second factor of those who have one, and keeps to the end of the session', async () => {
    const { id } = await addOwner({ identity: identityOf() });
    const secret = 'A'.repeat(32);
    const app = { personId: id, secret, step: 0, since: pages.clock.now() };
    await pages.repositories.secondFactors.turnOn(app, [], '');
    const received = await signIn('?next=%2Fwebhooks');
    expect([isSignedIn(received), received.headers.location]).toEqual([
      false,
      '/sign-in/second-factor?next=%2Fwebhooks',
    ]);

    const form = { code: totpCode(secret, pages.clock.now()), next: '/webhooks' };
    const done = await postForm(pages, '/sign-in/second-factor', form, { cookies: received.cookies });
    expect([isSignedIn(done), done.headers.location]).toEqual([true, '/webhooks']);
    expect(`${done.headers['set-cookie']}`).toContain('Max-Age=28800');
  });

  test('has no such button where there is no provider', async () => {
    const plain = await startPagesForTest();
    expect((await plain.send('GET', '/')).text).not.toContain('oidc');
    expect((await plain.send('GET', '/sign-in/oidc')).status).toBe(404);
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)'])(
    'leads on to a page of this site only, and not to %s',
    async (to) => {
      await addOwner({ identity: identityOf() });
      expect((await signIn(`?${new URLSearchParams({ to })}`)).headers.location).toBe('/');
      const began = await get('/sign-in/oidc');
      const sent = JSON.parse(Buffer.from(began.cookies.hitherto_provider ?? '', 'base64url').toString());
      const forged = Buffer.from(JSON.stringify({ ...sent, to })).toString('base64url');
      const { path } = await comeBack(began);
      expect((await get(path, { hitherto_provider: forged })).headers.location).toBe('/');
    },
  );

  test('says that the provider is away, and other ways work', async () => {
    const owner = await addOwner({ identity: identityOf() });
    for (const quirks of [{ status: 500 }, { delayMs: 3_000 }]) {
      pages = await start();
      provider.quirks = quirks;
      const { status, text } = await get('/sign-in/oidc');
      expect([status, text]).toEqual([503, expect.stringContaining('Ægir &amp; Staff cannot be reached')]);
      expect((await get('/')).text).toContain('Password');
    }
    pages = await start();
    await addOwner(owner);
    const form = { email: owner.email, password: PASSWORD };
    expect(isSignedIn(await postForm(pages, '/sign-in', form))).toBe(true);
    expect(pages.logs.join()).not.toContain(provider.clientSecret);
  });
});

describe('a callback that is not the end of what this browser began', () => {
  let owner: Person;
  beforeEach(async () => {
    owner = await addOwner({ identity: identityOf() });
  });

  const expectNothing = async (received: Received, status = 400) => {
    expect([received.status, isSignedIn(received)]).toEqual([status, false]);
    expect(received.text).toContain('Nobody was signed in');
    expect(await pages.repositories.sessions.list(owner.id)).toEqual([]);
  };

  test('comes from another browser', async () => {
    const { path } = await comeBack(await get('/sign-in/oidc'));
    await expectNothing(await get(path));
    const other = await get('/sign-in/oidc');
    await expectNothing(await get(path, other.cookies));
  });

  test('has a cookie of plain http, where people come by https', async () => {
    pages = await start(undefined, true, 'https://stats.example');
    await addOwner(owner);
    const began = await get('/sign-in/oidc');
    const [name = '', value = ''] = Object.entries(began.cookies)[0] ?? [];
    expect(name).toBe('__Host-hitherto_provider');
    expect(began.headers['set-cookie']).toMatch(/; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);

    const { path } = await comeBack(began);
    await expectNothing(await get(path, { hitherto_provider: value }));
    expect((await get(path, { [name]: value })).cookies).toHaveProperty('__Host-hitherto_session');
  });

  test('has two cookies, of which another host has set one', async () => {
    const { path, cookies } = await comeBack(await get('/sign-in/oidc'));
    const cookie = `hitherto_provider=${cookies.hitherto_provider}; hitherto_provider=x`;
    await expectNothing(await pages.send('GET', path, { headers: { cookie } }));
  });

  test.each(['x', 'e30', 'bnVsbA', 'WzFd', Buffer.from('{"state":1}').toString('base64url')])(
    'has the cookie %s',
    async (value) => {
      await expectNothing(await get('/sign-in/oidc/callback?code=a&state=b', { hitherto_provider: value }));
    },
  );

  test.each<[string, (query: URLSearchParams) => void]>([
    ['another state', (query) => query.set('state', 'x')],
    ['another issuer', (query) => query.set('iss', 'https://evil.example')],
    ['an error', (query) => query.set('error', 'access_denied')],
    ['no code', (query) => query.delete('code')],
  ])('has %s', async (_name, change) => {
    const { path, cookies } = await comeBack(await get('/sign-in/oidc'));
    const url = new URL(path, 'http://host');
    change(url.searchParams);
    await expectNothing(await get(url.pathname + url.search, cookies));
  });

  test('is sent twice', async () => {
    const { path, cookies } = await comeBack(await get('/sign-in/oidc'));
    const first = await get(path, cookies);
    expect([isSignedIn(first), first.cookies.hitherto_provider]).toEqual([true, '']);
    for (const sent of [cookies, {}]) {
      const again = await get(path, sent);
      expect([again.status, isSignedIn(again)]).toEqual([400, false]);
    }
  });

  test('has a token that is not to be trusted', async () => {
    provider.quirks = { signature: 'none' };
    await expectNothing(await signIn());
    provider.quirks = { claims: (claims) => ({ ...claims, nonce: 'x' }) };
    await expectNothing(await signIn());
  });

  test('keeps its address out of every referrer, log and page', async () => {
    const { path, cookies } = await comeBack(await get('/sign-in/oidc'));
    const { code = '' } = Object.fromEntries(new URL(path, 'http://host').searchParams);
    const received = await get(path, cookies);
    expect(received.headers['referrer-policy']).toBe('strict-origin');
    expect(code).not.toBe('');
    expect(pages.logs.join()).not.toContain(code);
  });
});

describe('a person is linked', () => {
  const user = { sub: 'somebody', email: 'Owner@Example.com', email_verified: true };

  test('by an address that both sides have verified', async () => {
    const owner = await addOwner({ email: 'owner@example.COM', isVerified: true });
    provider.user = user;

    expect(isSignedIn(await signIn())).toBe(true);
    provider.user = { sub: 'somebody' };
    expect(isSignedIn(await signIn())).toBe(true);
    expect((await peopleNow()).map(({ id }) => id)).toEqual([owner.id]);
    expect((await pages.repositories.people.find(owner.id))?.identity).toEqual(identityOf());
    const mail = await pages.repositories.tasks.claim('mail', pages.clock.now(), new Date(8e15));
    expect(mail?.payload).toMatchObject({ about: { notice: { kind: 'provider_linked' } } });
  });

  test.each<[string, Partial<Person>, object]>([
    ['an address that is not verified here', { isVerified: false }, user],
    ['an address that the provider does not vouch for', { isVerified: true }, { ...user, email_verified: false }],
    ['an address of which the provider says nothing', { isVerified: true }, { sub: 'somebody', email: user.email }],
    ['another address', { isVerified: true }, { ...user, email: 'other@example.com' }],
    ['no address', { isVerified: true }, { sub: 'somebody' }],
  ])('but not by %s: that is nobody, and nothing is created', async (_name, person, claims) => {
    const owner = await addOwner({ email: user.email, ...person });
    provider.user = { sub: 'somebody', ...claims };
    const received = await signIn();
    expect([received.status, isSignedIn(received)]).toEqual([403, false]);
    expect(received.text).toContain('Nobody here is known by this sign-in');
    expect(await peopleNow()).toStrictEqual([owner]);
    expect(pages.logs.join().toLowerCase()).not.toContain('@example.com');
  });

  test('with one identity alone: another one with the same address is nobody', async () => {
    await addOwner({ email: user.email, isVerified: true, identity: identityOf('first') });
    provider.user = user;
    expect((await signIn()).status).toBe(403);
  });

  test('anew when the installation has another provider', async () => {
    const elsewhere = { issuer: 'https://former.example', subject: 'somebody' };
    const owner = await addOwner({ email: user.email, isVerified: true, identity: elsewhere });
    provider.user = user;
    expect(isSignedIn(await signIn())).toBe(true);
    expect((await pages.repositories.people.find(owner.id))?.identity).toEqual(identityOf());
  });

  test('as one of two who sign in at once', async () => {
    await addOwner({ email: user.email, isVerified: true });
    provider.user = user;
    const received = await Promise.all([signIn(), signIn()]);
    expect(received.map(isSignedIn)).toEqual([true, true]);
    expect(await peopleNow()).toHaveLength(1);
  });
});

describe('an invitation', () => {
  const inviteSomebody = async (email: string, isMailed = false) => {
    const grant = { role: 'viewer', websiteIds: null } as const;
    const { token } = await invite(depsOf(), pages.accountId, { email, ...grant }, 'Ægir', isMailed);
    return `/invitations/${token}`;
  };
  const joinAt = async (path: string, cookies: Cookies = {}) => {
    const sent = await postForm(pages, `${path}/provider`, {}, { cookies });
    const back = await comeBack(sent, cookies);
    return get(back.path, back.cookies);
  };

  test('is accepted through the provider, whatever address that has', async () => {
    await addOwner();
    const path = await inviteSomebody('invited@example.com');
    provider.user = { sub: 'somebody', name: ' Ægir\n', email: 'other@example.com', email_verified: true };
    expect((await get(path)).text).toContain(`action="${path}/provider"`);

    const received = await joinAt(path);
    expect(isSignedIn(received)).toBe(true);
    expect(await pages.repositories.people.findByEmail('invited@example.com')).toMatchObject({
      name: 'Ægir',
      isVerified: false,
      passwordHash: null,
      identity: identityOf(),
    });
    expect((await get(path)).status).toBe(404);
    expect(isSignedIn(await signIn())).toBe(true);
  });

  test('names somebody by their address, if the provider has no name that can be', async () => {
    for (const name of [undefined, '', 'x'.repeat(101), 'a\u0000b', 7]) {
      pages = await start();
      provider.user = { sub: 'somebody', name };
      await joinAt(await inviteSomebody('invited@example.com'));
      expect((await peopleNow()).map((person) => person.name)).toEqual(['invited']);
    }
  });

  test('that was mailed is accepted by its verified address alone', async () => {
    await inviteSomebody('invited@example.com', true);
    provider.user = { sub: 'somebody', email: 'INVITED@example.com' };
    expect((await signIn()).status).toBe(403);
    provider.user = { ...provider.user, email_verified: true };
    expect(isSignedIn(await signIn())).toBe(true);
    expect(await peopleNow()).toMatchObject([{ email: 'invited@example.com', isVerified: true }]);
  });

  test('that was handed over, or has expired, is matched by no address', async () => {
    provider.user = { sub: 'somebody', email: 'invited@example.com', email_verified: true };
    await inviteSomebody('invited@example.com');
    expect((await signIn()).status).toBe(403);
    await inviteSomebody('invited@example.com', true);
    pages.clock.advance(8 * 24 * 60 * 60 * 1000);
    expect((await signIn()).status).toBe(403);
    expect(await peopleNow()).toEqual([]);
  });

  test('for somebody who is here already is accepted on its page, once they are signed in', async () => {
    const person = await addOwner({ email: 'invited@example.com', identity: identityOf() });
    const path = await inviteSomebody('invited@example.com');
    const received = await joinAt(path);
    expect([received.headers.location, isSignedIn(received)]).toEqual([path, true]);
    expect((await get(path, received.cookies)).text).toContain('Join</button>');
    expect(await peopleNow()).toStrictEqual([person]);
  });

  test('for the address of somebody else, who signs in otherwise, makes nobody', async () => {
    const person = await addOwner({ email: 'invited@example.com' });
    const received = await joinAt(await inviteSomebody('invited@example.com'));
    expect([received.status, isSignedIn(received)]).toEqual([409, false]);
    expect(await peopleNow()).toStrictEqual([person]);
  });

  test('is not begun by another site', async () => {
    const path = await inviteSomebody('invited@example.com');
    const headers = { origin: 'https://evil.example' };
    expect((await pages.send('POST', `${path}/provider`, { form: {}, headers })).status).toBe(403);
    expect((await get(`${path}/provider`)).headers.location).toBe(path);
    expect((await postForm(pages, '/invitations/x/provider', {})).status).toBe(404);
  });

  test('that is gone when somebody comes back makes nobody', async () => {
    const path = await inviteSomebody('invited@example.com');
    const back = await comeBack(await postForm(pages, `${path}/provider`, {}));
    await inviteSomebody('Invited@example.com');
    expect((await get(back.path, back.cookies)).status).toBe(404);
    expect(await peopleNow()).toEqual([]);
  });

  test('of the first start makes the owner, with the address that the provider has', async () => {
    const token = await prepareSetup(depsOf(), pages.accountId, undefined);
    expect((await joinAt(`/setup/${token}`)).status).toBe(403);
    provider.user = { sub: 'somebody', email: 'owner@example.com', email_verified: true };
    const received = await joinAt(`/setup/${token}`);
    expect(received.headers.location).toBe('/');
    expect((await get(`/accounts/${pages.accountId}/people`, received.cookies)).text).toContain('owner@example.com');
    expect(await peopleNow()).toMatchObject([{ isVerified: true }]);
  });
});

describe('whoever is signed in', () => {
  const asPerson = async (email: string) => (await postForm(pages, '/sign-in', { email, password: PASSWORD })).cookies;
  const link = (cookies: Cookies, password = PASSWORD) =>
    postForm(pages, '/you/provider', { current_password: password }, { cookies });

  test('links and unlinks themself, with their password', async () => {
    const { email, id } = await addOwner();
    const cookies = await asPerson(email);
    expect((await link(cookies, 'wrong')).status).toBe(422);

    const back = await comeBack(await link(cookies), cookies);
    expect((await get(back.path, back.cookies)).headers.location).toBe('/you?saved');
    expect((await pages.repositories.people.find(id))?.identity).toEqual(identityOf());
    expect((await get('/you', cookies)).text).toContain('Unlink Ægir &amp; Staff');

    const unlink = (password: string) =>
      postForm(pages, '/you/provider/unlink', { current_password: password }, { cookies });
    expect((await unlink('wrong')).status).toBe(422);
    expect((await unlink(PASSWORD)).status).toBe(303);
    expect((await pages.repositories.people.find(id))?.identity).toBeNull();
    expect((await signIn()).status).toBe(403);
  });

  test('is linked in their own session alone', async () => {
    const { email, id } = await addOwner();
    const cookies = await asPerson(email);
    const back = await comeBack(await link(cookies), cookies);
    const { hitherto_session: _, ...without } = back.cookies;
    const other = await asPerson(email);
    for (const sent of [without, { ...without, ...other }]) expect((await get(back.path, sent)).status).toBe(400);
    expect((await pages.repositories.people.find(id))?.identity).toBeNull();
  });

  test('is not linked with somebody else', async () => {
    await addOwner({ identity: identityOf() });
    const { email, id } = await addOwner();
    const cookies = await asPerson(email);
    const back = await comeBack(await link(cookies), cookies);
    expect((await get(back.path, back.cookies)).status).toBe(409);
    expect((await pages.repositories.people.find(id))?.identity).toBeNull();
  });

  test('keeps a way in: without a password, nobody unlinks themself', async () => {
    const { id } = await addOwner({ identity: identityOf(), passwordHash: null });
    const { cookies } = await signIn();
    expect((await get('/you', cookies)).text).not.toContain('Unlink');
    await postForm(pages, '/you/provider/unlink', {}, { cookies });
    expect((await pages.repositories.people.find(id))?.identity).toEqual(identityOf());
  });

  test('with a key becomes the first owner', async () => {
    const { text: key } = await issueKey(depsOf(), pages.accountId);
    const { cookies } = await postForm(pages, '/sign-in', { key });
    provider.user = { sub: 'somebody', email: 'owner@example.com' };
    const back = await comeBack(await postForm(pages, '/add-yourself/provider', {}, { cookies }), cookies);
    const received = await get(back.path, back.cookies);
    expect((await get(`/accounts/${pages.accountId}/people`, received.cookies)).status).toBe(200);
    expect(await peopleNow()).toMatchObject([
      { email: 'owner@example.com', isVerified: false, identity: identityOf() },
    ]);
  });
});

describe('groups', () => {
  const other = 'other';
  const rules = (website: string): GroupRule[] => [
    { group: 'owners', account: 'Ægir & Söhne 🦊', role: 'owner', website: undefined },
    { group: 'clients', account: other, role: 'viewer', website },
    { group: 'clients', account: other, role: 'viewer', website: 'https://second.example' },
    { group: 'editors', account: other, role: 'editor', website: undefined },
    { group: 'lost', account: 'no such account', role: 'owner', website: undefined },
    { group: 'lost', account: other, role: 'viewer', website: 'https://nowhere.example' },
  ];
  const user = { sub: 'somebody', email: 'a@example.com', email_verified: true };
  const grants = async (email = user.email) => {
    const person = await pages.repositories.people.findByEmail(email);
    const members = await pages.repositories.people.membershipsOf(person?.id ?? '');
    return Object.fromEntries(
      members.map(({ accountId, role, websiteIds }) => [
        accountId === pages.accountId ? 'first' : other,
        [role, websiteIds],
      ]),
    );
  };
  const signInWith = async (...groups: string[]) => {
    provider.user = { ...user, groups };
    return signIn();
  };

  let website: string;
  let second: string;
  beforeEach(async () => {
    pages = await start(rules('https://client.example'));
    website = (await pages.addWebsite({ url: 'https://client.example' }, pages.otherAccountId)).id;
    second = (await pages.addWebsite({ url: 'http://second.example' }, pages.otherAccountId)).id;
    await pages.addWebsite({ url: 'https://hidden.example' }, pages.otherAccountId);
  });

  test('create somebody who is nobody yet, with the rights that they give', async () => {
    const received = await signInWith('/clients', 'and others');
    expect(isSignedIn(received)).toBe(true);
    expect(await grants()).toEqual({ other: ['viewer', [website, second]] });
    expect((await get('/', received.cookies)).text).not.toContain('hidden.example');
    const { entries } = await pages.repositories.audit.list(wholeAccount(pages.otherAccountId), {}, 1);
    expect(entries[0]).toMatchObject({ action: 'member.created', actor: { type: 'provider' } });
  });

  test('of which none means anything here create nobody', async () => {
    expect((await signInWith('strangers')).status).toBe(403);
    expect((await signInWith('lost')).status).toBe(403);
    provider.user = { sub: 'somebody', groups: ['owners'] };
    expect((await signIn()).status).toBe(403);
    expect(await peopleNow()).toEqual([]);
  });

  test('create nobody with the address of somebody else', async () => {
    const owner = await addOwner({ email: user.email });
    expect((await signInWith('clients')).status).toBe(403);
    expect(await peopleNow()).toStrictEqual([owner]);
  });

  test('are applied at each sign-in: added, changed and removed', async () => {
    await addOwner();
    await signInWith('clients');
    await signInWith('clients', 'owners');
    expect(await grants()).toEqual({ first: ['owner', null], other: ['viewer', [website, second]] });
    await signInWith('editors', 'clients');
    expect(await grants()).toEqual({ other: ['editor', null] });
    const received = await signInWith('strangers');
    expect(isSignedIn(received)).toBe(true);
    expect(await grants()).toEqual({});
  });

  test('take nothing from members who were added or changed by hand, and do not change them', async () => {
    const owner = await addOwner();
    await signInWith('clients');
    const person = await pages.repositories.people.findByEmail(user.email);
    const byHand = aMember({ accountId: pages.accountId, personId: person?.id ?? '', role: 'viewer' });
    await pages.repositories.people.addMember(aPerson(person), byHand, UNRECORDED);
    await signInWith('owners');
    expect(await grants()).toEqual({ first: ['viewer', null] });
    await signInWith('strangers');
    expect(await grants()).toEqual({ first: ['viewer', null] });

    await addInvitedOwner(owner);
    await signInWith('clients');
    const { cookies } = await postForm(pages, '/sign-in', { email: owner.email, password: PASSWORD });
    const form = { role: 'editor', reach: 'all' };
    const people = `/accounts/${pages.otherAccountId}/people`;
    expect((await get(people, cookies)).text).toContain('by a group');
    expect((await get(`${people}/${person?.id}`, cookies)).text).toContain('A group of the sign-in provider');
    await postForm(pages, `${people}/${person?.id}`, form, { cookies });
    expect((await get(people, cookies)).text).not.toContain('by a group');
    await signInWith('strangers');
    expect(await grants()).toEqual({ first: ['viewer', null], other: ['editor', null] });
  });

  test('never take the last owner away', async () => {
    await signInWith('owners');
    await signInWith('strangers');
    expect(await grants()).toEqual({ first: ['owner', null] });
  });

  test('do nothing where the settings name none', async () => {
    pages = await start();
    expect((await signInWith('owners')).status).toBe(403);
  });

  /** Makes an owner of the other account, too. */
  async function addInvitedOwner(owner: Person): Promise<void> {
    const member = aMember({ accountId: pages.otherAccountId, personId: owner.id, role: 'owner' });
    await pages.repositories.people.addMember(owner, member, UNRECORDED);
  }
});

describe('passwords that are turned off', () => {
  beforeEach(async () => {
    pages = await start(undefined, false);
  });

  test('are asked for nowhere', async () => {
    await addOwner({ identity: identityOf() });
    const { text: key } = await issueKey(depsOf(), pages.otherAccountId);
    const { token } = await invite(
      depsOf(),
      pages.accountId,
      { email: 'a@example.com', role: 'viewer', websiteIds: null },
      'Ægir',
      false,
    );
    const setup = await prepareSetup(depsOf(), pages.otherAccountId, undefined);
    const asKey = (await postForm(pages, '/sign-in', { key })).cookies;
    const asPerson = (await signIn()).cookies;
    const seen = [
      await get('/'),
      await get(`/setup/${setup}`),
      await get(`/invitations/${token}`),
      await get('/add-yourself', asKey),
      await get('/you', asPerson),
    ];
    for (const { status, text } of seen) {
      expect([status, /name="(?:current_)?password"/.test(text), text.includes('Ægir &amp; Staff')]).toEqual([
        200,
        false,
        true,
      ]);
    }
  });

  test('are rejected', async () => {
    const { email, id } = await addOwner({ identity: identityOf() });
    const { token } = await invite(
      depsOf(),
      pages.accountId,
      { email: 'a@example.com', role: 'viewer', websiteIds: null },
      'Ægir',
      false,
    );
    const setup = await prepareSetup(depsOf(), pages.otherAccountId, undefined);
    const { text: key } = await issueKey(depsOf(), pages.otherAccountId);
    const asKey = (await postForm(pages, '/sign-in', { key })).cookies;
    const form = { email, name: 'a', password: PASSWORD };
    for (const path of ['/sign-in', `/setup/${setup}`, `/invitations/${token}`]) {
      const received = await postForm(pages, path, form);
      expect([path, received.status, isSignedIn(received)]).toEqual([path, 403, false]);
    }
    expect((await postForm(pages, '/add-yourself', form, { cookies: asKey })).status).toBe(403);

    const { cookies } = await signIn();
    expect((await postForm(pages, '/you/password', form, { cookies })).status).toBe(404);
    await postForm(pages, '/you/provider/unlink', { current_password: PASSWORD }, { cookies });
    expect((await pages.repositories.people.find(id))?.identity).toEqual(identityOf());
    expect(await peopleNow()).toHaveLength(1);
  });

  test('leave the links that sign in, without a new password', async () => {
    const person = await addOwner();
    expect((await get('/')).text).not.toContain('/forgot');
    expect((await get('/forgot')).status).toBe(403);
    expect((await postForm(pages, '/forgot', { email: person.email })).status).toBe(403);

    const link = `/reset/${await makeSignInLink(depsOf(), person)}`;
    expect((await get(link)).text).not.toContain('name="password"');
    expect((await postForm(pages, link, { password: 'another long password' })).status).toBe(403);
    expect(isSignedIn(await postForm(pages, link, {}))).toBe(true);
    expect(await pages.repositories.people.find(person.id)).toStrictEqual(person);
  });

  test('leave the way in through the provider', async () => {
    await addOwner({ email: 'a@example.com', isVerified: true });
    provider.user = { sub: 'somebody', email: 'a@example.com', email_verified: true };
    expect(isSignedIn(await signIn())).toBe(true);
  });
});
