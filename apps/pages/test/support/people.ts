import {
  acceptAsNewPerson,
  findInvitation,
  invite,
  makeSignInLink,
  ProviderFailure,
  prepareSetup,
  SESSION_MS,
  startSession,
} from '@hitherto/domain/people';
import type { Website } from '@hitherto/domain/websites';
import type { ProviderSignIn } from '../../src/owner/ways-in.ts';
import { PROVIDER_COOKIE } from '../../src/shared/cookies.ts';
import { dependenciesOf, HOSTILE } from './hostile-data.ts';
import { NO_BROWSER, type PagesUnderTest } from './pages.ts';

const SECRETS = { state: 'state', nonce: 'nonce', verifier: 'verifier' };

/** The cookie of a browser that comes back from the provider. */
export const COMES_BACK = { [PROVIDER_COOKIE.name]: Buffer.from(JSON.stringify(SECRETS)).toString('base64url') };

/** A provider that leads straight back, with somebody whom nobody knows. It is away for the code `away`. */
export const PROVIDER: ProviderSignIn = {
  client: {
    name: 'Ægir & Staff',
    issuer: 'https://login.example',
    begin: async () => ({
      url: '/sign-in/oidc/callback?code=x',
      secrets: SECRETS,
    }),
    complete: async (query) => {
      if (query.get('code') === 'away') throw new ProviderFailure(true, 'The provider does not respond.');
      return {
        issuer: 'https://login.example',
        subject: 'nobody',
        email: undefined,
        isVerified: false,
        name: undefined,
        groups: [],
      };
    },
  },
  sessionMs: SESSION_MS,
  groupRules: undefined,
};

/** How somebody signs in who has a second factor. */
export const GUARDED = { email: 'guarded@example.com', password: 'correct horse' } as const;

/** An owner who is signed in, an open invitation, and the link of the first start of the other account. */
export async function addPeople(pages: PagesUnderTest, website: Website) {
  const deps = { ...dependenciesOf(pages), isCommonPassword: () => false };
  const token = (await prepareSetup(deps, pages.accountId, undefined)) ?? '';
  const opened = await findInvitation(deps, token);
  if (opened === undefined) throw new Error('The link of the first start leads nowhere.');
  const request = { requestId: null, network: null };
  const person = { email: 'owner@example.com', name: `${HOSTILE[0]} ${'x'.repeat(40)}`, password: 'correct horse' };
  const { id } = await acceptAsNewPerson({ ...deps, request }, opened, person);
  const grant = { role: 'viewer', websiteIds: [website.id] } as const;
  const to = { email: `${'long-name.'.repeat(6)}x@example.com`, ...grant };
  const invited = await invite(deps, pages.accountId, to, person.name, false);
  const guardedId = await addGuarded(pages, { ...deps, request });
  const sessionOf = (personId: string) => startSession(deps, { personId }, NO_BROWSER, SESSION_MS);
  return {
    member: id,
    sessions: { owner: await sessionOf(id), guarded: await sessionOf(guardedId) },
    setup: `/setup/${await prepareSetup(deps, pages.otherAccountId, undefined)}`,
    invitation: `/invitations/${invited.token}`,
    reset: `/reset/${await makeSignInLink(deps, { id, name: person.name })}`,
  };
}

/** Somebody who signs in with a second factor, and has passkeys. */
async function addGuarded(
  pages: PagesUnderTest,
  deps: Parameters<typeof acceptAsNewPerson>[0] & Parameters<typeof invite>[0],
): Promise<string> {
  const grant = { role: 'viewer', websiteIds: null } as const;
  const { invitation } = await invite(deps, pages.accountId, { email: GUARDED.email, ...grant }, 'owner', false);
  const { id: personId } = await acceptAsNewPerson(deps, invitation, { ...GUARDED, name: 'Guarded' });
  const app = { personId, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 0, since: deps.now() };
  await pages.repositories.secondFactors.turnOn(app, [], '');
  for (const name of [HOSTILE[0], 'é 🦊', 'x'.repeat(50)]) {
    const passkey = { id: name, personId, name, publicKey: Uint8Array.of(1), counter: 0, createdAt: deps.now() };
    await pages.repositories.passkeys.insert(passkey);
  }
  return personId;
}
