import { type IdentityProvider, ProviderFailure, type ProviderIdentity } from '@hitherto/domain/people';
import * as oidc from 'openid-client';
import { now } from './system.ts';

export interface IdentityProviderOptions {
  /** An https URL, or an http URL of this machine; with or without a slash at the end. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  /** Where the provider leads back to. */
  readonly callbackUrl: string;
  /** The claim that lists groups; `undefined` if they do not matter. */
  readonly groupsClaim: string | undefined;
  /** How long each request may take, in milliseconds; 5 seconds unless given. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
/** How far apart the clocks may be, in seconds. */
const CLOCK_TOLERANCE = 5 * 60;
/** How long a discovery document is used. */
const DISCOVERY_MS = 60 * 60 * 1000;
/** As the specification bounds it. */
const SUBJECT = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
/** The codes of what the library throws if there was no response, or none that it can read. */
const AWAY = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'];

/** An OpenID provider. Nothing is asked of it until somebody signs in. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { clientId, clientSecret, name, callbackUrl, groupsClaim } = options;
  const issuer = withoutSlash(options.issuer);
  const timeout = (options.timeoutMs ?? TIMEOUT_MS) / 1000;
  const extensions = [
    // The library checks signatures of tokens that came over TLS only if it is told to.
    oidc.enableNonRepudiationChecks,
    ...(issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : []),
  ];
  let discovered: { readonly until: number; readonly server: Promise<oidc.ServerMetadata> } | undefined;

  const discover = async (): Promise<oidc.ServerMetadata> => {
    const url = new URL(`${issuer}/.well-known/openid-configuration`);
    const found = (
      await oidc.discovery(url, clientId, {}, oidc.None(), { timeout, execute: extensions })
    ).serverMetadata();
    if (withoutSlash(found.issuer) === issuer) return found;
    throw new ProviderFailure(false, 'The discovery document of the provider names another issuer than OIDC_ISSUER.');
  };

  const findServer = (): Promise<oidc.ServerMetadata> => {
    const at = now().getTime();
    if (discovered !== undefined && at < discovered.until) return discovered.server;
    const server = discover();
    discovered = { until: at + DISCOVERY_MS, server };
    server.catch(() => {
      if (discovered?.server === server) discovered = undefined;
    });
    return server;
  };

  /** The library remembers keys by configuration; with one for each sign-in, new keys are known and old ones forgotten at once. */
  const configure = async (): Promise<oidc.Configuration> => {
    const server = await findServer();
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const sent = methods.includes('client_secret_post') ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
    const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE };
    const configuration = new oidc.Configuration(server, clientId, client, sent(clientSecret));
    configuration.timeout = timeout;
    for (const extend of extensions) extend(configuration);
    return configuration;
  };

  return {
    name,
    issuer,

    begin: () =>
      explained(async () => {
        const configuration = await configure();
        const secrets = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          verifier: oidc.randomPKCECodeVerifier(),
        };
        const { scopes_supported: offered = [] } = configuration.serverMetadata();
        const hasScope = groupsClaim !== undefined && offered.includes(groupsClaim);
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: callbackUrl,
          scope: ['openid', 'email', 'profile', ...(hasScope ? [groupsClaim] : [])].join(' '),
          state: secrets.state,
          nonce: secrets.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(secrets.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, secrets };
      }),

    complete: (query, { state, nonce, verifier }) =>
      explained(async () => {
        const configuration = await configure();
        const tokens = await oidc.authorizationCodeGrant(configuration, new URL(`${callbackUrl}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || !SUBJECT.test(claims.sub)) {
          throw new ProviderFailure(false, 'The token of the provider names nobody.');
        }
        if (claims.iat > now().getTime() / 1000 + CLOCK_TOLERANCE) {
          throw new ProviderFailure(false, 'The token of the provider is from the future: compare the clocks.');
        }
        const isSparse = claims.email_verified === undefined || (groupsClaim !== undefined && !(groupsClaim in claims));
        const more =
          isSparse && configuration.serverMetadata().userinfo_endpoint !== undefined
            ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {};
        return identityOf(issuer, claims.sub, claims, more, groupsClaim);
      }),
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** The address and whether it is verified are of one source, so that nobody vouches for another one's word. */
function identityOf(
  issuer: string,
  subject: string,
  claims: Claims,
  more: Claims,
  groupsClaim: string | undefined,
): ProviderIdentity {
  const mailbox = claims.email_verified === undefined && more.email !== undefined ? more : claims;
  return {
    issuer,
    subject,
    email: stringOf(mailbox.email),
    isVerified: mailbox.email_verified === true,
    name: [claims.name, more.name, claims.preferred_username, more.preferred_username].map(stringOf).find(Boolean),
    groups: groupsClaim === undefined ? [] : groupsOf(groupsClaim, claims, more),
  };
}

function groupsOf(claim: string, ...sources: readonly Claims[]): string[] {
  const listed = sources.map((source) => source[claim]).find((value) => value !== undefined);
  // Who is in very many groups gets a link to a list instead. Whoever counted as in none would lose their rights.
  if (listed === undefined && sources.some(({ _claim_names: names }) => isNamed(names, claim))) {
    throw new ProviderFailure(false, 'The provider sends a link instead of groups: let it send fewer of them.');
  }
  return [listed].flat().flatMap((group) => (typeof group === 'string' ? [group.replace(/^\//, '')] : []));
}

function isNamed(names: unknown, claim: string): boolean {
  return typeof names === 'object' && names !== null && claim in names;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

/** Says of what the library throws whether the provider is away. Its messages have no values. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderFailure || !(error instanceof Error)) throw error;
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    // `fetch` throws a TypeError without a code where there is no connection.
    const isAway = code === undefined ? error instanceof TypeError : AWAY.includes(code);
    throw new ProviderFailure(isAway, describe(error, code));
  }
}

function describe(error: Error, code: string | undefined): string {
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
    return `The provider responds with the error ${/^[\w.-]{1,100}$/.exec(error.error)?.[0] ?? 'unknown'}.`;
  }
  const { cause } = error;
  const reason = code ?? (cause instanceof Error && 'code' in cause ? cause.code : undefined);
  return `${error.message} (${typeof reason === 'string' ? reason : 'unknown error'})`;
}
