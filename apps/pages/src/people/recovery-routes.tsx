import { DomainError, InvalidFields } from '@hitherto/domain/base';
import {
  findPersonLink,
  type JoinDependencies,
  type PersonLinkRepository,
  recover,
  requestPasswordLink,
} from '@hitherto/domain/people';
import { clientNetwork } from '@hitherto/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type LetInDependencies, letIn } from '../owner/let-in.ts';
import { sendNoPasswords } from '../owner/no-passwords.ts';
import { tooMany } from '../owner/sign-in-limits.ts';
import type { WaysIn } from '../owner/ways-in.ts';
import { createAttemptLimit } from '../shared/attempt-limit.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { hideAddress, sendPage } from '../shared/page.tsx';
import { FORGOT, RESET } from '../shared/paths.ts';
import { pageNotFound } from '../shared/send-error.tsx';
import { AskedPage, ForgotPage, ResetPage } from './recovery-page.tsx';

export interface RecoveryDependencies extends WaysIn, JoinDependencies, LetInDependencies {
  readonly personLinks: PersonLinkRepository;
  /** Whether links can be mailed to people: there is a mail server, and a key to encrypt what waits for it. */
  readonly mailsPeople: boolean;
}

/** How many links somebody may ask for, whatever the addresses; those of one address are counted in the domain. */
const ASKING = [{ failures: 30, within: 60 * 60_000 }] as const;

/** Ways back in: a new password by mail, and the links of `people link` (people.md, "Recovery"). */
export function recoveryRoutes(scope: FastifyInstance, deps: RecoveryDependencies): void {
  const asking = createAttemptLimit(ASKING);
  const { hasPasswords } = deps;

  scope.get(FORGOT, async (request, reply) => {
    if (!hasPasswords) return sendNoPasswords(request, reply);
    return sendPage(reply, <ForgotPage canMail={deps.mailsPeople} faults={[]} />);
  });
  scope.post<Body>(FORGOT, async (request, reply) => {
    if (!hasPasswords) return sendNoPasswords(request, reply);
    if (!deps.mailsPeople) return sendPage(reply.code(409), <ForgotPage canMail={false} faults={[]} />);
    const email = valueIn(request.body, 'email') ?? '';
    try {
      const wait = await asking.attempt(clientNetwork(request.ip), '', async () => {
        await requestPasswordLink(deps, email);
        return false;
      });
      if (typeof wait === 'number') throw tooMany(request, 'links', wait);
      return sendPage(reply, <AskedPage email={email} />);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      return sendPage(reply.code(422), <ForgotPage canMail email={email} faults={error.faults} />);
    }
  });

  scope.register(async (linked) => {
    // The address is the secret.
    hideAddress(linked);

    linked.get<ByToken>(`${RESET}/:token`, async (request, reply) =>
      sendPage(reply, <ResetPage hasPasswords={hasPasswords} {...about(await open(request), request)} faults={[]} />),
    );
    linked.post<ByToken & Body>(`${RESET}/:token`, async (request, reply) => {
      const found = await open(request);
      const password = valueIn(request.body, 'password') ?? '';
      if (!hasPasswords && password !== '') return sendNoPasswords(request, reply);
      const isKept = found.link.purpose === 'sign_in' && password === '';
      try {
        const person = await recover(deps, found, isKept ? undefined : password);
        return await letIn(deps, request, reply, person);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'not_found') throw pageNotFound();
        if (!(error instanceof InvalidFields)) throw error;
        return sendPage(
          reply.code(422),
          <ResetPage hasPasswords={hasPasswords} {...about(found, request)} faults={error.faults} />,
        );
      }
    });
  });

  async function open({ params }: FastifyRequest<ByToken>) {
    const found = await findPersonLink(deps, params.token);
    if (found === undefined || found.link.purpose === 'address') throw pageNotFound();
    if (found.link.purpose === 'password' && !hasPasswords) throw pageNotFound();
    return found;
  }
}

type ByToken = { Params: { readonly token: string } };

function about({ link, person }: NonNullable<Awaited<ReturnType<typeof findPersonLink>>>, { url }: FastifyRequest) {
  return { action: url, email: person.email, isSignIn: link.purpose === 'sign_in' };
}
