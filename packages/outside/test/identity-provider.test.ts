import { ProviderFailure } from '@hitherto/domain/people';
import { freePort } from '@hitherto/testing/free-port';
import { type IdentityProvider, type Quirks, startIdentityProvider } from '@hitherto/testing/identity-provider';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createIdentityProvider, type IdentityProviderOptions } from '../src/identity-provider.ts';

// Sign-in through a provider (people.md, "Through a provider"), against a real one that does as each test says.

const CALLBACK = 'http://127.0.0.1:1/sign-in/oidc/callback';
const USER = { sub: 'é 7', email: 'a@example.com', email_verified: true, name: 'Ægir', groups: ['/staff', 'b'] };

let provider: IdentityProvider;

beforeEach(async () => {
  provider = await startIdentityProvider({ callbackUrl: CALLBACK });
  provider.user = USER;
});
afterEach(() => provider.close());

const clientOf = ({ issuer, clientId, clientSecret } = provider, more: Partial<IdentityProviderOptions> = {}) =>
  createIdentityProvider({
    issuer,
    clientId,
    clientSecret,
    name: 'Staff',
    callbackUrl: CALLBACK,
    groupsClaim: 'groups',
    ...more,
  });

/** Signs in; resolves to who it is. */
async function signIn(client = clientOf(), at = provider) {
  const { url, secrets } = await client.begin();
  return client.complete(new URL(await at.authorize(url)).searchParams, secrets);
}

async function failureOf(work: Promise<unknown>): Promise<ProviderFailure> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof ProviderFailure)) throw new Error(`That was no failure, but ${String(failure)}.`);
  expect(failure.message).not.toContain(provider.clientSecret);
  return failure;
}

describe('a sign-in', () => {
  it('says who it is, and what the provider knows of them', async () => {
    expect(await signIn()).toEqual({
      issuer: provider.issuer,
      subject: 'é 7',
      email: 'a@example.com',
      isVerified: true,
      name: 'Ægir',
      groups: ['staff', 'b'],
    });
  });

  it('asks the provider for nothing before somebody signs in, and for discovery once', async () => {
    const client = clientOf();
    expect(provider.paths).toEqual([]);

    await signIn(client);
    await signIn(client);
    expect(provider.paths.filter((path) => path.startsWith('/.well-known/'))).toHaveLength(1);
  });

  it('has a state, a nonce and a challenge of its own', async () => {
    const client = clientOf();
    const [one, other] = [await client.begin(), await client.begin()];
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = [one, other].map(({ url }) => new URL(url).searchParams.get(name));
      expect(new Set(values).size).toBe(2);
    }
    expect(new URL(one.url).searchParams.get('code_challenge_method')).toBe('S256');
    expect(one.url).not.toContain(one.secrets.verifier);
  });

  it('finds the address at the endpoint for it, if the token has none', async () => {
    const sparse = await startIdentityProvider({ callbackUrl: CALLBACK, hasSparseTokens: true });
    onTestFinished(() => sparse.close());
    sparse.user = USER;

    expect(await signIn(clientOf(sparse), sparse)).toMatchObject({ email: 'a@example.com', groups: ['staff', 'b'] });
  });

  it.each([
    ['email_verified', undefined],
    ['email_verified', 'true'],
    ['email_verified', false],
    ['email', undefined],
  ])('trusts no address that is not said to be verified: %s is %s', async (name, value) => {
    provider.user = { ...USER, [name]: value };
    const { email, isVerified } = await signIn();
    expect(email !== undefined && isVerified).toBe(false);
  });

  it.each([
    ['', false],
    ['/', false],
    ['', true],
    ['/', true],
  ])('takes an issuer with and without a slash at the end for one: "%s", %s', async (own, hasSlash) => {
    const slashed = await startIdentityProvider({ callbackUrl: CALLBACK, hasSlash });
    onTestFinished(() => slashed.close());
    const issuer = slashed.issuer.replace(/\/$/, '');

    expect(await signIn(clientOf(slashed, { issuer: `${issuer}${own}` }), slashed)).toMatchObject({ issuer });
  });

  it('sends the secret as the provider wants it', async () => {
    for (const method of ['client_secret_post', 'client_secret_basic']) {
      provider.quirks = { metadata: { token_endpoint_auth_methods_supported: [method] } };
      expect(await signIn()).toMatchObject({ subject: 'é 7' });
    }
  });

  it('takes one group for a list', async () => {
    provider.user = { ...USER, groups: 'staff' };
    expect((await signIn()).groups).toEqual(['staff']);
    provider.user = { sub: 'a' };
    expect((await signIn()).groups).toEqual([]);
  });

  it('fails where the provider links to the groups, instead of taking them for none', async () => {
    provider.user = { sub: 'a' };
    provider.quirks = { claims: (claims) => ({ ...claims, _claim_names: { groups: 'src1' } }) };
    expect((await failureOf(signIn())).message).toContain('groups');
    expect((await signIn(clientOf(provider, { groupsClaim: undefined }))).groups).toEqual([]);
  });
});

describe('keys', () => {
  it('are fetched when they are unknown', async () => {
    const client = clientOf();
    await signIn(client);
    provider.rotateKey();

    expect(await signIn(client)).toMatchObject({ subject: 'é 7' });
  });
});

describe('clocks', () => {
  const shifted = (seconds: number, lifetime = 60): Quirks => {
    const at = Math.floor(Date.now() / 1000) + seconds;
    return { claims: (claims) => ({ ...claims, iat: at, nbf: at, exp: at + lifetime }) };
  };

  it.each([-290, 290])('may be five minutes apart: %i seconds', async (seconds) => {
    provider.quirks = shifted(seconds, 1);
    expect(await signIn()).toMatchObject({ subject: 'é 7' });
  });

  it.each([-370, 370])('may not be further apart: %i seconds', async (seconds) => {
    provider.quirks = shifted(seconds);
    expect((await failureOf(signIn())).isAway).toBe(false);
  });

  it('count for tokens without a time of their own start, too', async () => {
    provider.quirks = { claims: (claims) => ({ ...claims, iat: Math.floor(Date.now() / 1000) + 370 }) };
    expect((await failureOf(signIn())).message).toContain('clocks');
  });
});

describe('what came back is rejected', () => {
  it.each<[string, Quirks]>([
    ['a token for another client', { claims: (claims) => ({ ...claims, aud: 'other' }) }],
    ['a token for several clients', { claims: (claims) => ({ ...claims, aud: ['hitherto', 'other'] }) }],
    ['a token of another issuer', { claims: (claims) => ({ ...claims, iss: 'https://other.example' }) }],
    ['a token with another nonce', { claims: (claims) => ({ ...claims, nonce: 'other' }) }],
    ['a token without a nonce', { claims: (claims) => ({ ...claims, nonce: undefined }) }],
    ['a token that has expired', { claims: (claims) => ({ ...claims, exp: 1 }) }],
    ['a token without an end', { claims: (claims) => ({ ...claims, exp: undefined }) }],
    ['a token of nobody', { claims: (claims) => ({ ...claims, sub: '' }) }],
    ['a token of a name that is too long', { claims: (claims) => ({ ...claims, sub: 'x'.repeat(256) }) }],
    ['a token that is not signed', { signature: 'none' }],
    ['a token that is not signed, which the provider offers', offering('none')],
    ['a token that is signed with the secret of the client', { signature: 'HS256' }],
    ['a token that is signed with the secret, which the provider offers', offering('HS256')],
    ['a token that is signed with a key of nobody', { signature: 'unpublished' }],
  ])('%s', async (_name, quirks) => {
    provider.quirks = quirks;
    expect((await failureOf(signIn())).isAway).toBe(false);
  });

  it.each<[string, (query: URLSearchParams) => void]>([
    ['another state', (query) => query.set('state', 'other')],
    ['no state', (query) => query.delete('state')],
    ['two states', (query) => query.append('state', 'other')],
    ['another issuer', (query) => query.set('iss', 'https://other.example')],
    ['no issuer, where the provider says that it sends one', (query) => query.delete('iss')],
    ['an error', (query) => query.set('error', 'access_denied')],
    ['another code', (query) => query.set('code', 'other')],
    ['no code', (query) => query.delete('code')],
    ['a token in the address', (query) => query.set('id_token', 'x')],
  ])('%s', async (_name, change) => {
    const client = clientOf();
    const { url, secrets } = await client.begin();
    const { searchParams: query } = new URL(await provider.authorize(url));
    change(query);
    expect((await failureOf(client.complete(query, secrets))).isAway).toBe(false);
  });

  it('a code that was used', async () => {
    const client = clientOf();
    const { url, secrets } = await client.begin();
    const { searchParams: query } = new URL(await provider.authorize(url));
    await client.complete(query, secrets);
    expect((await failureOf(client.complete(query, secrets))).isAway).toBe(false);
  });

  it('the code of another sign-in', async () => {
    const client = clientOf();
    const [one, other] = [await client.begin(), await client.begin()];
    const { searchParams: query } = new URL(await provider.authorize(one.url));
    const mixed = { ...other.secrets, state: one.secrets.state };
    expect((await failureOf(client.complete(query, mixed))).isAway).toBe(false);
  });

  it('what another person says of this one', async () => {
    const sparse = await startIdentityProvider({ callbackUrl: CALLBACK, hasSparseTokens: true });
    onTestFinished(() => sparse.close());
    sparse.quirks = { claims: (claims) => ({ ...claims, sub: 'victim' }) };
    expect((await failureOf(signIn(clientOf(sparse), sparse))).isAway).toBe(false);
  });

  it('a discovery document of another issuer', async () => {
    provider.quirks = { metadata: { issuer: 'https://other.example' } };
    expect((await failureOf(signIn())).message).toContain('OIDC_ISSUER');
  });
});

describe('a provider that is away', () => {
  it('is not there', async () => {
    const client = clientOf(provider, { issuer: `http://127.0.0.1:${await freePort()}` });
    const { isAway, message } = await failureOf(client.begin());
    expect([isAway, message]).toEqual([true, expect.stringContaining('ECONNREFUSED')]);
  });

  it.each<[string, Quirks]>([
    ['does not respond in time', { delayMs: 2_000 }],
    ['responds with an error', { status: 503 }],
    ['responds with a redirect', { status: 302 }],
  ])('%s, and is found again once it is back', async (_name, quirks) => {
    const client = clientOf(provider, { timeoutMs: 300 });
    provider.quirks = quirks;
    expect((await failureOf(client.begin())).isAway).toBe(true);

    provider.quirks = {};
    expect(await signIn(client)).toMatchObject({ subject: 'é 7' });
  });

  it('goes away in the middle of a sign-in', async () => {
    const client = clientOf();
    const { url, secrets } = await client.begin();
    const { searchParams: query } = new URL(await provider.authorize(url));
    provider.quirks = { status: 500 };
    expect((await failureOf(client.complete(query, secrets))).isAway).toBe(true);
  });
});

function offering(signature: 'none' | 'HS256'): Quirks {
  return { signature, metadata: { id_token_signing_alg_values_supported: ['RS256', signature] } };
}
