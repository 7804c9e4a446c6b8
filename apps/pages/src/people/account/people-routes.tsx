import { type Grant, ROLES } from '@hitherto/domain/access';
import { DomainError, type Fault, faultOf, InvalidFields, inWords, toldIn } from '@hitherto/domain/base';
import {
  changeMember,
  invite,
  isOfKey,
  type JoinDependencies,
  listInvitations,
  type MemberOfAccount,
  type NewInvitation,
  removeMember,
  revokeInvitation,
  showMember,
} from '@hitherto/domain/people';
import { listWebsites, wholeAccount } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import { isStale, requireVersion } from '../../owner/resources/versions.ts';
import { authorOf, signedInOf, viewerOf } from '../../owner/session.ts';
import { type Body, type Form, valuesIn } from '../../shared/form.ts';
import { headerOf } from '../../shared/header.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { INVITATIONS, invitationsPath, peoplePath } from '../../shared/paths.ts';
import { originOf } from '../../shared/request.ts';
import { accountRoutes } from './account-routes.tsx';
import { type AccountKeysDependencies, accountKeysRoutes } from './keys-routes.tsx';
import { AccountFrame, accountIn, type OfAccount, ownAccount } from './own-account.tsx';
import { MemberPage, PeoplePage } from './people-page.tsx';

interface PeopleRoutesDependencies extends JoinDependencies, Omit<AccountKeysDependencies, 'people'> {
  /** Whether links can be mailed to people. */
  readonly mailsPeople: boolean;
}

type OfPerson = { Params: { readonly id: string; readonly person: string } };
type OfInvitation = { Params: { readonly id: string; readonly invitation: string } };

/** The most websites that a form offers. */
const MAX_CHOICES = 1_000;

/** The people of an account (people.md, "The pages"), for its owners; the scope has a session. */
export function peopleRoutes(scope: FastifyInstance, deps: PeopleRoutesDependencies): void {
  scope.register(async (owning) => {
    ownAccount(owning);
    accountRoutes(owning, deps);
    accountKeysRoutes(owning, deps);

    owning.get<OfAccount>(peoplePath(':id'), (request, reply) => sendPeople(request, reply));
    owning.get<OfAccount>(invitationsPath(':id'), async (request, reply) =>
      reply.redirect(peoplePath(viewerOf(request).accountId), 303),
    );
    owning.get<OfPerson>(peoplePath(':id', ':person'), async (request, reply) => {
      const found = await find(request);
      return sendMember(request, reply, found, { grant: found.member, faults: [] });
    });

    owning.post<OfAccount & Body>(invitationsPath(':id'), async (request, reply) => {
      const values = valuesIn(request.body);
      const chosen = await chosenIn(viewerOf(request).accountId, request.body);
      try {
        const grant = grantIn(request.body, chosen);
        return await sendInvited(request, reply, { email: values.email ?? '', ...grant }, deps.mailsPeople);
      } catch (error) {
        const faults = faultsIn(error);
        return sendPeople(request, reply.code(422), { values, chosen: values.reach === 'all' ? null : chosen, faults });
      }
    });

    for (const form of ['revoke', 'link'] as const) {
      owning.get<OfInvitation>(invitationsPath(':id', ':invitation', form), async (request, reply) =>
        reply.redirect(peoplePath(viewerOf(request).accountId), 303),
      );
    }
    owning.post<OfInvitation>(invitationsPath(':id', ':invitation', 'link'), async (request, reply) => {
      const { accountId } = viewerOf(request);
      const id = request.params.invitation.toLowerCase();
      const found = (await listInvitations(deps, accountId)).find((each) => each.id === id);
      if (found?.email == null) return reply.redirect(peoplePath(accountId), 303);
      return sendInvited(request, reply, { ...found, email: found.email }, false);
    });

    owning.post<OfInvitation>(invitationsPath(':id', ':invitation'), async (request, reply) => {
      const { accountId } = viewerOf(request);
      const revoking = { ...deps, author: authorOf(request) };
      await once(() => revokeInvitation(revoking, accountId, request.params.invitation.toLowerCase()));
      return reply.redirect(peoplePath(accountId), 303);
    });

    owning.post<OfPerson & Body>(peoplePath(':id', ':person'), async (request, reply) => {
      const found = await find(request);
      const { accountId } = viewerOf(request);
      const chosen = await chosenIn(accountId, request.body);
      const precondition = requireVersion(valuesIn(request.body).version);
      let grant: Grant = found.member;
      try {
        grant = grantIn(request.body, chosen);
        await changeMember({ ...deps, author: authorOf(request) }, accountId, found.person.id, grant, precondition);
        return reply.redirect(peoplePath(accountId), 303);
      } catch (error) {
        return sendRejected(request, reply, found, grant, error);
      }
    });

    owning.post<OfPerson>(peoplePath(':id', ':person', 'remove'), async (request, reply) => {
      const { accountId } = viewerOf(request);
      const personId = request.params.person.toLowerCase();
      try {
        await once(() => removeMember({ ...deps, author: authorOf(request) }, accountId, personId));
        return reply.redirect(peoplePath(accountId), 303);
      } catch (error) {
        const found = await find(request);
        return sendRejected(request, reply, found, found.member, error);
      }
    });
  });

  function find(request: FastifyRequest<OfPerson>): Promise<MemberOfAccount> {
    return showMember(deps, viewerOf(request).accountId, request.params.person.toLowerCase());
  }

  async function websitesOf(accountId: string) {
    return (await listWebsites(deps, wholeAccount(accountId), { order: 'address_asc' }, MAX_CHOICES)).websites;
  }

  /** The websites of the account that a form chooses. */
  async function chosenIn(accountId: string, form: Form): Promise<string[]> {
    const named = [form.website ?? []].flat();
    return (await websitesOf(accountId)).map(({ id }) => id).filter((id) => named.includes(id));
  }

  /** Invites somebody, and shows the link unless it is mailed. */
  async function sendInvited(
    request: FastifyRequest,
    reply: FastifyReply,
    whom: NewInvitation,
    isMailed: boolean,
  ): Promise<FastifyReply> {
    const { accountId } = viewerOf(request);
    const { token } = await invite({ ...deps, author: authorOf(request) }, accountId, whom, nameOf(request), isMailed);
    const url = isMailed ? undefined : `${originOf(request)}${INVITATIONS}/${token}`;
    return sendPeople(request, reply.code(201), { invited: { email: whom.email, url } });
  }

  async function sendPeople(
    request: FastifyRequest,
    reply: FastifyReply,
    said: Partial<Parameters<typeof PeoplePage>[0]> = {},
  ): Promise<FastifyReply> {
    const { accountId } = viewerOf(request);
    const [members, invitations, failures, websites, account] = await Promise.all([
      deps.people.listMembers(accountId),
      listInvitations(deps, accountId),
      deps.people.listFailedInvitations(accountId),
      websitesOf(accountId),
      accountIn(deps, request),
    ]);
    const page = { accountId, members, invitations, failures, websites, values: {}, chosen: [], faults: [] };
    return sendPage(
      reply,
      <AccountFrame request={request} account={account} page="people">
        <PeoplePage {...page} {...said} />
      </AccountFrame>,
    );
  }

  async function sendMember(
    request: FastifyRequest,
    reply: FastifyReply,
    found: MemberOfAccount,
    form: { readonly grant: Grant; readonly faults: readonly Fault[]; readonly reason?: string },
  ): Promise<FastifyReply> {
    const { accountId } = viewerOf(request);
    const [websites, keys] = await Promise.all([websitesOf(accountId), deps.access.listKeys(accountId)]);
    const own = keys.filter(({ member, revokedAt }) => member?.personId === found.person.id && revokedAt === null);
    return sendPage(
      reply,
      <OwnerFrame header={headerOf(request)} title={found.person.name}>
        <p>
          <a href={peoplePath(accountId)}>{localeFor(request).words.people.people}</a>
        </p>
        <h1>
          <bdi>{found.person.name}</bdi>
        </h1>
        <MemberPage accountId={accountId} found={found} websites={websites} keys={own} now={deps.now()} {...form} />
      </OwnerFrame>,
    );
  }

  function sendRejected(
    request: FastifyRequest,
    reply: FastifyReply,
    found: MemberOfAccount,
    grant: Grant,
    error: unknown,
  ): Promise<FastifyReply> {
    const { words } = localeFor(request);
    if (isStale(error)) {
      return sendMember(request, reply.code(409), found, {
        grant: found.member,
        faults: [],
        reason: words.resources.stale,
      });
    }
    if (error instanceof DomainError && error.code === 'last_owner') {
      return sendMember(request, reply.code(409), found, { grant, faults: [], reason: toldIn(words, error) });
    }
    return sendMember(request, reply.code(422), found, { grant, faults: faultsIn(error) });
  }
}

/** The role and the websites that a form says. Throws `InvalidFields` if it says no role. */
function grantIn(form: Form, chosen: readonly string[]): Grant {
  const role = ROLES.find((each) => each === valuesIn(form).role);
  if (role === undefined) {
    throw new InvalidFields([{ field: 'role', code: 'not_allowed', ...inWords(({ faults }) => faults.people.noRole) }]);
  }
  const hasAll = role === 'owner' || valuesIn(form).reach === 'all';
  return { role, websiteIds: hasAll ? null : chosen };
}

/** The name of the person or key that invites. */
function nameOf(request: FastifyRequest): string {
  const signedIn = signedInOf(request);
  return isOfKey(signedIn) ? localeFor(request).words.people.theOwner : signedIn.person.name;
}

/** What is gone counts as removed. */
async function once(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error;
  }
}

function faultsIn(error: unknown): readonly Fault[] {
  if (error instanceof InvalidFields) return error.faults;
  if (error instanceof DomainError && error.code === 'too_many_invitations') {
    return [faultOf(error, 'email', 'too_many')];
  }
  throw error;
}
