import type { GroupRule, IdentityProvider } from '@hitherto/domain/people';

/** An OpenID provider through which people sign in. */
export interface ProviderSignIn {
  readonly client: IdentityProvider;
  /** How long a session lasts that began there, in milliseconds. */
  readonly sessionMs: number;
  /** What its groups give; `undefined` where they do not matter. */
  readonly groupRules: readonly GroupRule[] | undefined;
}

/** How people sign in, besides keys and links. */
export interface WaysIn {
  readonly hasPasswords: boolean;
  readonly provider: ProviderSignIn | undefined;
}
