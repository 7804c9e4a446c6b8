import type { Passkey, PasskeySite, Person } from '@hitherto/domain/people';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { type Form, valueIn } from '../shared/form.ts';
import { useLocale } from '../shared/locale.tsx';
import { originOf } from '../shared/request.ts';

/** Ed25519, ES256, RS256: which signatures devices make. */
const ALGORITHMS = [-8, -7, -257].map((alg) => ({ type: 'public-key', alg }));
const TIMEOUT_MS = 120_000;
const MAX_LENGTH = 20_000;

/** Where passkeys of this installation are used; the `Origin` of a form was checked. */
export function siteOf(request: FastifyRequest): PasskeySite {
  const own = originOf(request);
  return { origin: request.headers.origin ?? own, domain: new URL(own).hostname };
}

/** What a browser is asked to make a passkey from, as `passkeys.js` reads it. */
export function creationOf(
  request: FastifyRequest,
  person: Person,
  challenge: string,
  known: readonly Passkey[],
): object {
  const { domain } = siteOf(request);
  return {
    challenge,
    rp: { id: domain, name: 'Hitherto' },
    user: { id: Buffer.from(person.id).toString('base64url'), name: person.email, displayName: person.name },
    pubKeyCredParams: ALGORITHMS,
    excluded: known.map(({ id }) => id),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
    timeout: TIMEOUT_MS,
  };
}

/** What a browser is asked to sign, with one of these passkeys or any. */
export function signingOf(request: FastifyRequest, challenge: string, allowed: readonly Passkey[]): object {
  const { domain: rpId } = siteOf(request);
  return { challenge, rpId, allowed: allowed.map(({ id }) => id), userVerification: 'required', timeout: TIMEOUT_MS };
}

/** What the browser has said, of whatever form. */
export function saidIn(form: Form): unknown {
  const text = valueIn(form, 'passkey') ?? '';
  try {
    return text.length > MAX_LENGTH ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface PasskeyFormProps {
  readonly action: string;
  readonly options: object;
  readonly submit: string;
  readonly children?: ComponentChildren;
}

/** A form that the browser completes with a passkey; it needs a script. */
export function PasskeyForm({ action, options, submit, children }: PasskeyFormProps) {
  return (
    <form class="settings" method="post" action={action} data-passkey={JSON.stringify(options)}>
      {children}
      <input type="hidden" name="passkey" />
      <button type="submit">{submit}</button>
      <p class="hint" role="status" data-status>
        <noscript>{useLocale().words.signIn.needScripts}</noscript>
      </p>
    </form>
  );
}
