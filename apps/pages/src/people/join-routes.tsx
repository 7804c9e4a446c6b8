import type { AccessRepository } from '@hitherto/domain/access';
import { DomainError, type Fault, faultOf, InvalidFields, inWords, toldIn } from '@hitherto/domain/base';
import {
  acceptAs,
  acceptAsNewPerson,
  addFirstOwner,
  canAddOwner,
  findInvitation,
  foldEmail,
  hasOwner,
  type Invitation,
  isOfKey,
  type JoinDependencies,
} from '@hitherto/domain/people';
import { auditOrigin } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { type LetInDependencies, letIn } from '../owner/let-in.ts';
import { sendNoPasswords } from '../owner/no-passwords.ts';
import { authorOf, requireSession, signedInOf } from '../owner/session.ts';
import type { WaysIn } from '../owner/ways-in.ts';
import { type Body, valuesIn } from '../shared/form.ts';
import { localeFor } from '../shared/locale.tsx';
import { hideAddress, MessagePage, sendPage } from '../shared/page.tsx';
import { ADD_YOURSELF, HOME, INVITATIONS, SETUP } from '../shared/paths.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { AddYourselfPage, InvitationPage, SetupPage, SignedInInvitationPage } from './join-page.tsx';
import type { Purpose } from './provider-attempt.ts';
import { sendToProvider } from './provider-routes.tsx';

export interface JoinRoutesDependencies extends WaysIn, JoinDependencies, LetInDependencies {
  readonly access: AccessRepository;
  /** Called when the link of the first start was used. */
  readonly onSetUp: () => Promise<void>;
}

type ByToken = { Params: { readonly token: string } };

/** Becoming a member: by the link of the first start, an invitation, or a key (people.md, "The first start" and "Invitations"). */
export function joinRoutes(scope: FastifyInstance, deps: JoinRoutesDependencies): void {
  scope.register(async (linked) => {
    // The address is the secret.
    hideAddress(linked);
    linked.setErrorHandler<Error>(async (error, request, reply) => {
      if (!(error instanceof DomainError) || error.code !== 'too_many_members') throw error;
      return sendPage(
        reply.code(422),
        <MessagePage title={localeFor(request).words.signIn.noRoom}>
          <p>{toldIn(localeFor(request).words, error)}</p>
        </MessagePage>,
      );
    });

    linked.get<ByToken>(`${SETUP}/:token`, async (request, reply) => {
      await openInvitation(request.params.token, 'setup');
      return sendPage(reply, <SetupPage ways={deps} action={pathOf(request)} values={{}} faults={[]} />);
    });
    linked.post<ByToken & Body>(`${SETUP}/:token`, async (request, reply) => {
      const invitation = await openInvitation(request.params.token, 'setup');
      if (!deps.hasPasswords) return sendNoPasswords(request, reply);
      const values = valuesIn(request.body);
      const show = (faults: readonly Fault[]) => (
        <SetupPage ways={deps} action={pathOf(request)} values={values} faults={faults} />
      );
      return withFaults(reply, show, async () => {
        const person = await acceptNew(invitation, request, values);
        await deps.onSetUp();
        return letIn(deps, request, reply, person);
      });
    });

    linked.get<ByToken>(`${INVITATIONS}/:token`, async (request, reply) => {
      const about = await describe(await openInvitation(request.params.token, 'invitation'), request);
      const { signedIn } = request;
      if (signedIn !== null)
        return sendPage(reply, <SignedInInvitationPage {...about} isOwn={isFor(about, request)} />);
      return sendPage(reply, <InvitationPage ways={deps} {...about} values={{}} faults={[]} />);
    });
    linked.post<ByToken & Body>(`${INVITATIONS}/:token`, async (request, reply) => {
      const invitation = await openInvitation(request.params.token, 'invitation');
      const about = await describe(invitation, request);
      const { signedIn } = request;
      if (signedIn !== null) {
        if (isOfKey(signedIn) || !isFor(about, request)) {
          return sendPage(reply.code(409), <SignedInInvitationPage {...about} isOwn={false} />);
        }
        await acceptAs({ ...deps, author: authorOf(request) }, invitation, signedIn.person);
        return reply.redirect(HOME, 303);
      }
      if (!deps.hasPasswords) return sendNoPasswords(request, reply);
      const values = valuesIn(request.body);
      const show = (faults: readonly Fault[]) => (
        <InvitationPage ways={deps} {...about} values={values} faults={faults} />
      );
      return withFaults(reply, show, async () =>
        letIn(deps, request, reply, await acceptNew(invitation, request, values)),
      );
    });

    for (const [path, kind] of [
      [SETUP, 'setup'],
      [INVITATIONS, 'invitation'],
    ] as const) {
      throughProvider(linked, `${path}/:token`, async ({ params: { token = '' } }) => {
        await openInvitation(token, kind);
        return { invitation: token };
      });
    }
  });

  scope.register(async (keyed) => {
    requireSession(keyed);

    keyed.get(ADD_YOURSELF, async (request, reply) => {
      const signedIn = signedInOf(request);
      if (!isOfKey(signedIn)) throw pageNotFound();
      const show = (faults: readonly Fault[]) => (
        <AddYourselfPage ways={deps} action={ADD_YOURSELF} values={{}} faults={faults} />
      );
      return withFaults(reply, show, async () => {
        if (!(await canAddOwner(deps, signedIn.key))) throw hasOwner();
        return sendPage(reply, show([]));
      });
    });
    keyed.post<Body>(ADD_YOURSELF, async (request, reply) => {
      const signedIn = signedInOf(request);
      if (!isOfKey(signedIn)) throw pageNotFound();
      if (!deps.hasPasswords) return sendNoPasswords(request, reply);
      const values = valuesIn(request.body);
      const show = (faults: readonly Fault[]) => (
        <AddYourselfPage ways={deps} action={ADD_YOURSELF} values={values} faults={faults} />
      );
      const { email = '', name = '', password = '' } = values;
      return withFaults(reply, show, async () => {
        const person = await addFirstOwner({ ...deps, author: authorOf(request) }, signedIn.key, {
          email,
          name,
          password,
        });
        return letIn(deps, request, reply, person);
      });
    });
    throughProvider(keyed, ADD_YOURSELF, async (request) => {
      const signedIn = signedInOf(request);
      if (!isOfKey(signedIn)) throw pageNotFound();
      return { session: signedIn.session.hash };
    });
  });

  /** The button of a page that goes on at the provider. */
  function throughProvider(
    on: FastifyInstance,
    path: string,
    purposeOf: (request: FastifyRequest<{ Params: { readonly token?: string } }>) => Promise<Purpose>,
  ): void {
    const { provider } = deps;
    if (provider === undefined) return;
    on.get(`${path}/provider`, async (request, reply) =>
      reply.redirect(pathOf(request).slice(0, -'/provider'.length), 303),
    );
    on.post<{ Params: { readonly token?: string } }>(`${path}/provider`, async (request, reply) =>
      sendToProvider(provider, request, reply, await purposeOf(request)),
    );
  }

  async function openInvitation(token: string, kind: 'setup' | 'invitation'): Promise<Invitation> {
    const found = await findInvitation(deps, token);
    if (found === undefined || (found.email === null) !== (kind === 'setup')) throw pageNotFound();
    return found;
  }

  async function describe({ accountId, email, invitedBy }: Invitation, request: FastifyRequest) {
    const account = await deps.access.findAccount(accountId);
    if (account === undefined || email === null) throw pageNotFound();
    return { account: account.name, invitedBy, email, action: pathOf(request) };
  }

  function acceptNew(invitation: Invitation, request: FastifyRequest, values: Readonly<Record<string, string>>) {
    const { email = '', name = '', password = '' } = values;
    return acceptAsNewPerson({ ...deps, request: auditOrigin(request) }, invitation, { email, name, password });
  }
}

function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.split('?', 1)[0] ?? url;
}

function isFor({ email }: { readonly email: string }, { signedIn }: FastifyRequest): boolean {
  return signedIn !== null && !isOfKey(signedIn) && foldEmail(signedIn.person.email) === foldEmail(email);
}

/** Shows a form again with the faults of what it says. */
async function withFaults(
  reply: FastifyReply,
  show: (faults: readonly Fault[]) => VNode,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidFields) return sendPage(reply.code(422), show(error.faults));
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'not_found') throw pageNotFound();
    if (error.code !== 'email_taken' && error.code !== 'has_owner') throw error;
    const fault = faultOf(error, 'email', 'not_allowed');
    const instead = error.code === 'email_taken' ? inWords(({ faults }) => faults.people.signInInstead) : {};
    return sendPage(reply.code(409), show([{ ...fault, ...instead }]));
  }
}
