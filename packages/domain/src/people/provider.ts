import { foldEmail, type Identity } from './person.ts';

/** What a provider says about whoever signed in there (people.md, "Through a provider"). */
export interface ProviderIdentity extends Identity {
  readonly email: string | undefined;
  /** Whether the provider vouches for the address. */
  readonly isVerified: boolean;
  readonly name: string | undefined;
  /** Without a slash in front. */
  readonly groups: readonly string[];
}

/** What only the browser that began a sign-in has, until it comes back. */
export interface ProviderSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** An OpenID provider, at which people sign in. */
export interface IdentityProvider {
  /** Its name for people. */
  readonly name: string;
  /** As identities have it. */
  readonly issuer: string;
  /**
   * Begins a sign-in.
   *
   * @returns where the browser goes
   * @throws ProviderFailure
   */
  begin(): Promise<{ readonly url: string; readonly secrets: ProviderSecrets }>;
  /**
   * Ends a sign-in.
   *
   * @param query with which the browser came back
   * @throws ProviderFailure
   */
  complete(query: URLSearchParams, secrets: ProviderSecrets): Promise<ProviderIdentity>;
}

/** A sign-in at a provider failed. The message is for the log, and has no secret. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** Whether the provider did not respond; otherwise, what came back is not what was asked for. */
  readonly isAway: boolean;

  constructor(isAway: boolean, message: string, options?: ErrorOptions) {
    super(message, options);
    this.isAway = isAway;
  }
}

/** Whether the provider says that this mailbox belongs to whoever signed in there. */
export function vouchesFor({ email, isVerified }: ProviderIdentity, address: string): boolean {
  return isVerified && email !== undefined && foldEmail(email) === foldEmail(address);
}
