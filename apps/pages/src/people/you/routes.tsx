import { InvalidFields } from '@hitherto/domain/base';
import { isOfKey, lacksSecondFactor } from '@hitherto/domain/people';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import { signedInOf } from '../../owner/session.ts';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import type { WaysIn } from '../../owner/ways-in.ts';
import { type Body, valuesIn } from '../../shared/form.ts';
import { headerOf } from '../../shared/header.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { secondFactorPath, YOU } from '../../shared/paths.ts';
import { queryParameters } from '../../shared/request.ts';
import { sendForbidden } from '../../shared/send-error.tsx';
import { type AddressDependencies, addressSection } from './address.tsx';
import { type KeysDependencies, keysSection } from './keys.tsx';
import { type MailsDependencies, mailsSection } from './mails.tsx';
import { nameSection } from './name.tsx';
import { type PasskeysDependencies, passkeysSection } from './passkeys.tsx';
import { type PasswordDependencies, passwordSection } from './password.tsx';
import { type ProviderSectionDependencies, providerSection } from './provider.tsx';
import { type SecondFactorSectionDependencies, secondFactorSection } from './second-factor.tsx';
import type { Said, SendYou, YouSection } from './section.ts';
import { type SessionsDependencies, sessionsSection } from './sessions.tsx';

interface YouRoutesDependencies
  extends AddressDependencies,
    PasswordDependencies,
    ProviderSectionDependencies,
    SecondFactorSectionDependencies,
    PasskeysDependencies,
    KeysDependencies,
    MailsDependencies,
    SessionsDependencies,
    WaysIn {}

/** What people change about themselves (people.md, "The pages"); the scope has a session. */
export function youRoutes(scope: FastifyInstance, deps: YouRoutesDependencies, limits: SignInLimits): void {
  // In the order of the page. Their forms are sent to addresses beneath its own.
  const { hasPasswords, provider } = deps;
  const sections = [
    nameSection(deps),
    addressSection(deps, limits),
    ...(hasPasswords ? [passwordSection(deps, limits)] : []),
    secondFactorSection(deps, limits),
    passkeysSection(deps, limits),
    ...(provider === undefined ? [] : [providerSection(deps, limits, provider)]),
    keysSection(deps),
    mailsSection(deps),
    sessionsSection(deps),
  ];

  const send: SendYou = async (request, reply, said = NOTHING) => {
    const saidTo = ({ path }: YouSection) => (request.url.startsWith(path) ? said : NOTHING);
    const { people } = localeFor(request).words;
    const parts = await Promise.all(sections.map((section) => section.show(request, saidTo(section))));
    return sendPage(
      reply,
      <OwnerFrame header={headerOf(request)} title={people.you}>
        <h1>{people.you}</h1>
        {lacksSecondFactor(signedInOf(request)) && (
          <p class="notice" role="alert">
            {people.requires((words) => (
              <a href={secondFactorPath('app')}>{words}</a>
            ))}
          </p>
        )}
        {queryParameters(request).has('saved') && (
          <p class="notice" role="status">
            {people.saved}
          </p>
        )}
        {parts}
      </OwnerFrame>,
    );
  };

  scope.register(async (own) => {
    own.addHook('preHandler', async (request, reply) => {
      if (!isOfKey(signedInOf(request))) return;
      const { people } = localeFor(request).words;
      return sendForbidden(reply, people.keyIsNoPerson, people.keyIsNoPersonText);
    });
    own.setErrorHandler<Error, Body>(async (error, request, reply) => {
      if (!(error instanceof InvalidFields)) throw error;
      return send(request, reply.code(422), saidIn(request, error));
    });
    own.get(YOU, (request: FastifyRequest, reply: FastifyReply) => send(request, reply));
    for (const { path, routes } of sections) {
      own.get(path, async (_request, reply) => reply.redirect(YOU, 303));
      routes(own, send);
    }
  });
}

const NOTHING: Said = { values: {}, faults: [] };

function saidIn(request: FastifyRequest<Body>, { faults }: InvalidFields): Said {
  return { values: valuesIn(request.body), faults };
}
