import type { IdentityProvider, ProviderSecrets } from '@hitherto/domain/people';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PROVIDER_COOKIE, readCookie, setCookie } from '../shared/cookies.ts';
import { readNextPath } from '../shared/sign-in-path.ts';

/** How long somebody may take at the provider, in milliseconds. */
const ATTEMPT_MS = 10 * 60 * 1000;

/** What a sign-in at the provider is for: signing in, opening an invitation, or linking the person of the session with this hash. */
export type Purpose =
  | { readonly next: string | undefined }
  | { readonly invitation: string }
  | { readonly session: string };

/** A sign-in that began in this browser. */
export interface Attempt {
  readonly secrets: ProviderSecrets;
  readonly purpose: Purpose;
}

/** Begins a sign-in whose secrets only this browser knows; resolves to the address that it goes to. Throws `ProviderFailure`. */
export async function beginAttempt(
  client: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Purpose,
): Promise<string> {
  const { url, secrets } = await client.begin();
  const value = Buffer.from(JSON.stringify({ ...secrets, ...purpose })).toString('base64url');
  setCookie(request, reply, { name: PROVIDER_COOKIE, value, path: '/', maxAgeMs: ATTEMPT_MS });
  return url;
}

/** Ends the sign-in that began in this browser, so that it comes back once; `undefined` if there is none. */
export function endAttempt(request: FastifyRequest, reply: FastifyReply): Attempt | undefined {
  setCookie(request, reply, { name: PROVIDER_COOKIE, value: '', path: '/', maxAgeMs: 0 });
  const sent = parse(Buffer.from(readCookie(request, PROVIDER_COOKIE) ?? '', 'base64url').toString());
  const text = (name: string) => (typeof sent[name] === 'string' ? sent[name] : undefined);
  const [state, nonce, verifier] = [text('state'), text('nonce'), text('verifier')];
  if (state === undefined || nonce === undefined || verifier === undefined) return undefined;
  const [invitation, session] = [text('invitation'), text('session')];
  const purpose =
    invitation !== undefined
      ? { invitation }
      : session !== undefined
        ? { session }
        : { next: readNextPath(text('next')) };
  return { secrets: { state, nonce, verifier }, purpose };
}

function parse(json: string): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(json) };
  } catch {
    return {};
  }
}
