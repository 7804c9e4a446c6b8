import type { AccessRepository } from '@hitherto/domain/access';
import { DomainError, toldIn } from '@hitherto/domain/base';
import {
  addFirstOwner,
  type Entered,
  enterThroughProvider,
  findInvitation,
  type IdentityProvider,
  inputOf,
  isOfKey,
  type JoinDependencies,
  linkIdentity,
  ProviderFailure,
  type ProviderIdentity,
} from '@hitherto/domain/people';
import type { WebsiteDirectory } from '@hitherto/domain/websites';
import { auditOrigin } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LetInDependencies, letIn } from '../owner/let-in.ts';
import { authorOf } from '../owner/session.ts';
import type { ProviderSignIn, WaysIn } from '../owner/ways-in.ts';
import { localeFor } from '../shared/locale.tsx';
import { hideAddress, MessagePage, sendPage } from '../shared/page.tsx';
import { INVITATIONS, PROVIDER_CALLBACK, SIGN_IN_PROVIDER, YOU } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { readNextPath } from '../shared/sign-in-path.ts';
import { beginAttempt, endAttempt, type Purpose } from './provider-attempt.ts';
import { AwayPage, FailedPage, OnwardPage, UnknownPage } from './provider-page.tsx';

export interface ProviderDependencies extends WaysIn, JoinDependencies, LetInDependencies {
  readonly access: AccessRepository;
  readonly directory: WebsiteDirectory;
  /** Called when the link of the first start was used. */
  readonly onSetUp: () => Promise<void>;
}

/** Sign-in through a provider (people.md, "Through a provider"): to it, and back. */
export function providerRoutes(scope: FastifyInstance, deps: ProviderDependencies): void {
  const { provider } = deps;
  if (provider === undefined) return;
  const { client, sessionMs, groupRules } = provider;

  scope.get(SIGN_IN_PROVIDER, async (request, reply) => {
    const next = readNextPath(queryParameters(request).get('next'));
    return atProvider(client, request, reply, async () =>
      reply.redirect(await beginAttempt(client, request, reply, { next }), 303),
    );
  });

  scope.register(async (returning) => {
    // The address has a code.
    hideAddress(returning);

    returning.get(PROVIDER_CALLBACK, async (request, reply) => {
      const attempt = endAttempt(request, reply);
      if (attempt === undefined) return sendPage(reply.code(400), <FailedPage name={client.name} />);
      return atProvider(client, request, reply, async () => {
        const identity = await client.complete(queryParameters(request), attempt.secrets);
        return enter(request, reply, identity, attempt.purpose);
      });
    });
  });

  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    identity: ProviderIdentity,
    purpose: Purpose,
  ): Promise<FastifyReply> {
    try {
      if ('session' in purpose) return await link(request, reply, identity, purpose.session);
      const invitation = 'invitation' in purpose ? await findInvitation(deps, purpose.invitation) : undefined;
      if ('invitation' in purpose && invitation === undefined) throw pageNotFound();
      const entering = { ...deps, groupRules, request: auditOrigin(request) };
      const entered = await enterThroughProvider(entering, identity, invitation);
      if (entered === undefined) return sendUnknown(request, reply, identity);
      if (entered.isNew && invitation?.email === null) await deps.onSetUp();
      return await letIn(deps, request, reply, entered.person, { next: await nextOf(entered, purpose), sessionMs });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'not_found') throw pageNotFound();
      // Nobody learns whose addresses are known here.
      if (error.code === 'email_taken' && 'next' in purpose) return sendUnknown(request, reply, identity);
      if (!EXPECTED.some((code) => code === error.code)) throw error;
      return sendPage(
        reply.code(409),
        <MessagePage title={localeFor(request).words.signIn.cannotJoin}>
          <p>{toldIn(localeFor(request).words, error)}</p>
        </MessagePage>,
      );
    }
  }

  /** Where a sign-in leads on to: who is here already joins on the page of the invitation, while it is open. */
  async function nextOf({ isNew }: Entered, purpose: Purpose): Promise<string | undefined> {
    if ('next' in purpose) return purpose.next;
    if (isNew || !('invitation' in purpose)) return undefined;
    const isOpen = (await findInvitation(deps, purpose.invitation))?.email != null;
    return isOpen ? `${INVITATIONS}/${purpose.invitation}` : undefined;
  }

  /** Links the signed-in person, or the holder of a key, who becomes the first owner. */
  async function link(
    request: FastifyRequest,
    reply: FastifyReply,
    identity: ProviderIdentity,
    sessionHash: string,
  ): Promise<FastifyReply> {
    const { signedIn } = request;
    if (signedIn?.session.hash !== sessionHash) return sendPage(reply.code(400), <FailedPage name={client.name} />);
    if (!isOfKey(signedIn)) {
      await linkIdentity(deps, signedIn.person.id, identity);
      return reply.redirect(`${YOU}?saved`, 303);
    }
    const input = inputOf(identity);
    if (input === undefined) return sendUnknown(request, reply, identity);
    const person = await addFirstOwner({ ...deps, author: authorOf(request) }, signedIn.key, input);
    return letIn(deps, request, reply, person, { sessionMs });
  }

  function sendUnknown(request: FastifyRequest, reply: FastifyReply, { email, isVerified, groups }: ProviderIdentity) {
    const known = { hasAddress: email !== undefined, isVerified, groups: groups.length };
    request.log.warn(known, 'nobody is known by this sign-in through the provider');
    return sendPage(reply.code(403), <UnknownPage name={client.name} />);
  }
}

const EXPECTED = ['email_taken', 'identity_taken', 'has_owner', 'too_many_members'] as const;

/** Sends the browser of a form on to the provider. */
export function sendToProvider(
  { client }: ProviderSignIn,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Purpose,
): Promise<FastifyReply> {
  return atProvider(client, request, reply, async () => {
    const url = await beginAttempt(client, request, reply, purpose);
    return sendPage(reply.header('refresh', `0; url=${url}`), <OnwardPage name={client.name} url={url} />);
  });
}

/** Says what failed at the provider; the log says why. */
async function atProvider(
  { name }: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    request.log.warn({ reason: error.message }, 'a sign-in through the provider failed');
    return error.isAway
      ? sendPage(reply.code(503), <AwayPage name={name} />)
      : sendPage(reply.code(400), <FailedPage name={name} />);
  }
}
