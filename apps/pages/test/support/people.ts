import {
  acceptAsNewPerson,
  findInvitation,
  invite,
  prepareSetup,
  SESSION_MS,
  startSession,
} from '@hitherto/domain/people';
import type { Website } from '@hitherto/domain/websites';
import { dependenciesOf, HOSTILE } from './hostile-data.ts';
import { NO_BROWSER, type PagesUnderTest } from './pages.ts';

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
  return {
    member: id,
    session: await startSession(deps, { personId: id }, NO_BROWSER, SESSION_MS),
    setup: `/setup/${await prepareSetup(deps, pages.otherAccountId, undefined)}`,
    invitation: `/invitations/${invited.token}`,
  };
}
