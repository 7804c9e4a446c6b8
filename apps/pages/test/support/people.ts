import {
  acceptAsNewPerson,
  findInvitation,
  invite,
  makeSignInLink,
  prepareSetup,
  SESSION_MS,
  startSession,
} from '@hitherto/domain/people';
import type { Website } from '@hitherto/domain/websites';
import { dependenciesOf, HOSTILE } from './hostile-data.ts';
import { NO_BROWSER, type PagesUnderTest } from './pages.ts';

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
  await addGuarded(pages, { ...deps, request });
  return {
    member: id,
    session: await startSession(deps, { personId: id }, NO_BROWSER, SESSION_MS),
    setup: `/setup/${await prepareSetup(deps, pages.otherAccountId, undefined)}`,
    invitation: `/invitations/${invited.token}`,
    reset: `/reset/${await makeSignInLink(deps, { id, name: person.name })}`,
  };
}

/** Somebody who signs in with a second factor. */
async function addGuarded(
  pages: PagesUnderTest,
  deps: Parameters<typeof acceptAsNewPerson>[0] & Parameters<typeof invite>[0],
) {
  const grant = { role: 'viewer', websiteIds: null } as const;
  const { invitation } = await invite(deps, pages.accountId, { email: GUARDED.email, ...grant }, 'owner', false);
  const { id: personId } = await acceptAsNewPerson(deps, invitation, { ...GUARDED, name: 'Guarded' });
  const app = { personId, secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 0, since: deps.now() };
  await pages.repositories.secondFactors.turnOn(app, [], '');
}
