import type { PasskeyChecks } from '@hitherto/domain/people';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** Loading the library takes long, and most processes never need it. */
const load = () => import('@simplewebauthn/server');

/** Passkeys of WebAuthn: which device made them does not matter (no attestation), and it must know its user. */
export const passkeyChecks: PasskeyChecks = {
  async made({ origin, domain }, expectedChallenge, said) {
    if (!isCredential(said) || !hasTexts(said.response, ['clientDataJSON', 'attestationObject'])) return undefined;
    const response: RegistrationResponseJSON = { ...said, response: said.response };
    const expected = { expectedChallenge, expectedOrigin: origin, expectedRPID: domain };
    const { registrationInfo } = await orNothing(async () =>
      (await load()).verifyRegistrationResponse({ response, ...expected }),
    );
    if (registrationInfo === undefined) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Uint8Array.from(publicKey), counter };
  },

  idIn: (said) => (isCredential(said) ? said.id : undefined),

  async signed({ origin, domain }, expectedChallenge, said, { id, publicKey, counter }) {
    const texts = ['clientDataJSON', 'authenticatorData', 'signature'] as const;
    if (!isCredential(said) || !hasTexts(said.response, texts)) return undefined;
    const response: AuthenticationResponseJSON = { ...said, response: said.response };
    const credential = { id, publicKey: Uint8Array.from(publicKey), counter };
    const expected = { expectedChallenge, expectedOrigin: origin, expectedRPID: domain, credential };
    const { verified, authenticationInfo } = await orNothing(async () =>
      (await load()).verifyAuthenticationResponse({ response, ...expected }),
    );
    return verified === true ? authenticationInfo?.newCounter : undefined;
  },
};

/** What browsers say of a passkey, whatever was done with it. */
interface Said {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly clientExtensionResults: Record<string, never>;
  readonly response: unknown;
}

function isCredential(said: unknown): said is Said {
  return hasTexts(said, ['id', 'rawId', 'type']) && said.type === 'public-key' && 'response' in said;
}

function hasTexts<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Readonly<Record<Name, string>> {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return names.every((name) => typeof fields.get(name) === 'string');
}

/** The library throws at whatever is wrong. */
async function orNothing<Result extends object>(work: () => Promise<Result>): Promise<Partial<Result>> {
  try {
    return await work();
  } catch {
    return {};
  }
}
