import type { IdentityProvider } from '@hitherto/domain/people';
import type { PagesDependencies } from '@hitherto/pages';
import { PROVIDER_CALLBACK } from '@hitherto/pages/paths';
import type { Settings } from '../installation/settings.ts';

const HOUR_MS = 60 * 60 * 1000;

/** How the sign-in provider of the settings is reached. */
export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly callbackUrl: string;
  readonly groupsClaim: string | undefined;
}

export type OpenIdentityProvider = (options: IdentityProviderOptions) => Promise<IdentityProvider>;

/** The sign-in provider of these settings; `undefined` if they name none. */
export async function openProvider(
  settings: Settings,
  open: OpenIdentityProvider,
): Promise<PagesDependencies['provider']> {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName: name } = settings;
  const { publicUrl, oidcSessionHours, oidcGroups: groupRules, oidcGroupsClaim } = settings;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  if (name === undefined || publicUrl === undefined) return undefined;
  const callbackUrl = `${publicUrl}${PROVIDER_CALLBACK}`;
  const groupsClaim = groupRules && oidcGroupsClaim;
  const client = await open({ issuer, clientId, clientSecret, name, callbackUrl, groupsClaim });
  return { client, sessionMs: oidcSessionHours * HOUR_MS, groupRules };
}
