import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { remembered } from '@hitherto/domain/base';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

type Claims = Readonly<Record<string, unknown>>;

/** How a provider misbehaves; everything is as it should be unless given. */
export interface Quirks {
  /** Changes what an ID token says; `undefined` leaves a claim out. */
  readonly claims?: (claims: Claims) => Claims;
  /** How ID tokens are signed; by a key that is published if absent. */
  readonly signature?: 'none' | 'HS256' | 'unpublished';
  /** Changes the discovery document. */
  readonly metadata?: Claims;
  /** How long each response takes, in milliseconds. */
  readonly delayMs?: number;
  /** Responds with this status to everything. */
  readonly status?: number;
}

/** An OpenID provider with one client, which signs everybody in as `user`. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The claims of the next sign-in; `sub` names the person. */
  user: Claims & { readonly sub: string };
  quirks: Quirks;
  /** The paths of all requests so far. */
  readonly paths: readonly string[];
  /** Replaces the key with which tokens are signed by another one. */
  rotateKey(): void;
  /** Signs in as a browser does at the address of an authorization request; resolves to the address that it leads back to. */
  authorize(url: string): Promise<string>;
  close(): Promise<void>;
}

interface IdentityProviderOptions {
  readonly callbackUrl: string;
  /** Whether only the endpoint for it says more of a person than `sub`, as the specification allows. */
  readonly hasSparseTokens?: boolean;
  readonly hasSlash?: boolean;
}

const CLIENT_ID = 'hitherto';
const CLIENT_SECRET = "the client's secret: &=%+~";

/** Starts a provider on a port of this machine. */
export async function startIdentityProvider({
  callbackUrl,
  hasSparseTokens = false,
  hasSlash = false,
}: IdentityProviderOptions): Promise<IdentityProvider> {
  let handle: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  let key = keyOf(1);
  const paths: string[] = [];
  const state: IdentityProvider = {
    issuer: hasSlash ? `${origin}/` : origin,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    user: { sub: 'somebody' },
    quirks: {},
    paths,
    rotateKey: () => {
      key = keyOf(key.number + 1);
    },
    authorize: (url) => authorize(url, callbackUrl),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const records = new Map<string, AdapterPayload>();
  const provider = new Provider(state.issuer, {
    adapter: (kind) => recordsOf(records, kind),
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [callbackUrl] }],
    claims: { email: ['email', 'email_verified'], profile: ['name', 'preferred_username'], groups: ['groups'] },
    conformIdTokenClaims: hasSparseTokens,
    cookies: { keys: ['secret'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...state.user, sub }) }),
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' }] },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        ...(oidc.client === undefined ? {} : { clientId: oidc.client.clientId }),
        ...(oidc.session?.accountId === undefined ? {} : { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    const { delayMs = 0, status, metadata } = state.quirks;
    paths.push(context.path);
    await setTimeout(delayMs);
    if (status !== undefined) {
      context.status = status;
      return;
    }
    if (context.path === '/jwks') {
      context.body = { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' }] };
      return;
    }
    if (context.path.startsWith('/interaction/')) {
      await provider.interactionFinished(context.req, context.res, { login: { accountId: state.user.sub } });
      context.respond = false;
      return;
    }
    await next();
    const body: unknown = context.body;
    if (context.path === '/.well-known/openid-configuration') Object.assign(body ?? {}, metadata);
    if (context.path === '/token' && isTokens(body)) body.id_token = resign(body.id_token);
  });
  handle = provider.callback();

  /** The token with the claims and the signature that the quirks say. */
  function resign(token: string): string {
    const { claims = (given) => given, signature } = state.quirks;
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
    const alg = signature === 'none' || signature === 'HS256' ? signature : 'RS256';
    const text = [{ alg, kid: key.kid }, claims(payload)].map(encode).join('.');
    if (signature === 'none') return `${text}.`;
    if (signature === 'HS256') return `${text}.${createHmac('sha256', CLIENT_SECRET).update(text).digest('base64url')}`;
    const { privateKey } = signature === 'unpublished' ? keyOf(0) : key;
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
  }

  return state;
}

/** The records of one kind, which the provider marks when they are used. */
function recordsOf(records: Map<string, AdapterPayload>, kind: string): Adapter {
  const find = async (id: string) => records.get(`${kind} ${id}`);
  const findBy = async (name: 'uid' | 'userCode', value: string) =>
    [...records.values()].find((record) => record.kind === kind && record[name] === value);
  return {
    find,
    findByUid: (uid) => findBy('uid', uid),
    findByUserCode: (userCode) => findBy('userCode', userCode),
    upsert: async (id, record) => void records.set(`${kind} ${id}`, record),
    consume: async (id) => void Object.assign((await find(id)) ?? {}, { consumed: Math.floor(Date.now() / 1000) }),
    destroy: async (id) => void records.delete(`${kind} ${id}`),
    revokeByGrantId: async (grantId) => {
      for (const [id, record] of records) if (record.grantId === grantId) records.delete(id);
    },
  };
}

interface SigningKey {
  readonly number: number;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Making one takes long. */
const keys = new Map<number, SigningKey>();

function keyOf(number: number): SigningKey {
  return remembered(keys, number, 10, () => ({
    number,
    kid: `key ${number}`,
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }));
}

function isTokens(body: unknown): body is { id_token: string } {
  return typeof body === 'object' && body !== null && 'id_token' in body && typeof body.id_token === 'string';
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Follows redirects, as a browser that was never there before, until one leads to the callback. */
async function authorize(from: string, callbackUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = from;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`The provider says ${response.status}: ${await response.text()}`);
    url = new URL(next, url).href;
    if (url.startsWith(callbackUrl)) return url;
  }
  throw new Error('The provider redirects without end.');
}
