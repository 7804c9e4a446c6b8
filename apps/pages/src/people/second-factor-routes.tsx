import {
  findPendingSignIn,
  finishSignIn,
  type PendingSignIn,
  type SecondFactorDependencies,
  useSecondFactor,
} from '@hitherto/domain/people';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TextField } from '../owner/field.tsx';
import { admit, type LetInDependencies } from '../owner/let-in.ts';
import type { SignInLimits } from '../owner/sign-in-limits.ts';
import { PENDING_COOKIE, readCookie, setCookie } from '../shared/cookies.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { MessagePage, sendPage } from '../shared/page.tsx';
import { HOME, SECOND_FACTOR } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { readNextPath, signInPath } from '../shared/sign-in-path.ts';

export interface SecondFactorRoutesDependencies
  extends LetInDependencies,
    Pick<SecondFactorDependencies, 'secondFactors' | 'totp'> {}

/** Where a sign-in waits for the second factor (people.md, "The second factor"). */
export function secondFactorRoutes(
  scope: FastifyInstance,
  deps: SecondFactorRoutesDependencies,
  limits: SignInLimits,
): void {
  scope.get(SECOND_FACTOR, async (request, reply) => {
    const to = readNextPath(queryParameters(request).get('to') ?? '');
    if ((await pendingOf(request)) === undefined) return reply.redirect(startOf(to), 303);
    return sendPage(reply, <SecondFactorPage to={to} isWrong={false} />);
  });

  scope.post<Body>(SECOND_FACTOR, async (request, reply) => {
    const to = readNextPath(valueIn(request.body, 'to'));
    const pending = await pendingOf(request);
    if (pending === undefined) return sendEnded(request, reply, to);
    const { personId, sessionMs } = pending;
    const outcome = await checkCode(request, pending, valueIn(request.body, 'code') ?? '');
    if (outcome === 'wrong') return sendPage(reply.code(403), <SecondFactorPage to={to} isWrong />);
    if (outcome === 'ended') return sendEnded(request, reply, to);
    forgetCookie(request, reply);
    return admit(deps, request, reply, personId, { to, sessionMs });
  });

  async function pendingOf(request: FastifyRequest): Promise<PendingSignIn | undefined> {
    return findPendingSignIn(deps, readCookie(request, PENDING_COOKIE) ?? '');
  }

  async function checkCode(request: FastifyRequest, pending: PendingSignIn, code: string) {
    const { personId } = pending;
    let outcome: Awaited<ReturnType<typeof finishSignIn>> = 'wrong';
    await limits.attempt(request, { what: 'codes', of: personId }, { id: personId }, async () => {
      outcome = await finishSignIn(deps, pending, () => useSecondFactor(deps, personId, code));
      return outcome === 'right';
    });
    return outcome as typeof outcome;
  }

  function sendEnded(request: FastifyRequest, reply: FastifyReply, to: string | undefined): FastifyReply {
    forgetCookie(request, reply);
    return sendPage(
      reply.code(403),
      <MessagePage title="Sign in again">
        <p>This sign-in has ended: it lasts for 10 minutes and 5 wrong codes.</p>
        <p>
          <a href={startOf(to)}>Sign in</a>
        </p>
      </MessagePage>,
    );
  }
}

function startOf(to: string | undefined): string {
  return to === undefined ? HOME : signInPath(to);
}

function forgetCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, { name: PENDING_COOKIE, value: '', path: '/', maxAgeMs: 0 });
}

function SecondFactorPage({ to, isWrong }: { readonly to: string | undefined; readonly isWrong: boolean }) {
  const detail = 'This code is wrong, or was used.';
  return (
    <MessagePage title="Second factor">
      <form method="post" action={SECOND_FACTOR}>
        {to !== undefined && <input type="hidden" name="to" value={to} />}
        <TextField
          name="code"
          label="Code"
          hint="The 6 digits that your app shows, or one of your recovery codes."
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck={false}
          required
          maxLength={100}
          faults={isWrong ? [{ field: 'code', code: 'not_allowed', detail }] : []}
        />
        <button type="submit">Sign in</button>
      </form>
      <p class="hint">Without the app and the codes, ask whoever runs this installation.</p>
    </MessagePage>
  );
}
