import {
  askPasskey,
  challengeOf,
  findPendingSignIn,
  finishSignIn,
  type PasskeyDependencies,
  PENDING_MS,
  type PendingSignIn,
  type SecondFactorDependencies,
  usePasskey,
  useSecondFactor,
} from '@hitherto/domain/people';
import { clientNetwork } from '@hitherto/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TextField } from '../owner/field.tsx';
import { admit, type LetInDependencies } from '../owner/let-in.ts';
import { sendNoPasswords } from '../owner/no-passwords.ts';
import { type SignInLimits, tooMany } from '../owner/sign-in-limits.ts';
import type { WaysIn } from '../owner/ways-in.ts';
import { createAttemptLimit, OF_PASSKEYS } from '../shared/attempt-limit.ts';
import { PENDING_COOKIE, readCookie, setCookie } from '../shared/cookies.ts';
import { type Body, valueIn } from '../shared/form.ts';
import { localeFor, useLocale } from '../shared/locale.tsx';
import { MessagePage, sendPage } from '../shared/page.tsx';
import { HOME, SECOND_FACTOR, SIGN_IN_PASSKEY } from '../shared/paths.ts';
import { queryParameters } from '../shared/request.ts';
import { leadingTo, readNextPath, signInPath } from '../shared/sign-in-path.ts';
import { PasskeyForm, saidIn, signingOf, siteOf } from './passkey-form.tsx';

export interface SecondFactorRoutesDependencies
  extends LetInDependencies,
    Pick<SecondFactorDependencies, 'secondFactors' | 'totp'>,
    Pick<PasskeyDependencies, 'passkeys' | 'passkeyChecks'>,
    Pick<WaysIn, 'hasPasswords'> {}

/** Where a sign-in waits for the second factor, or for a passkey (people.md, "The second factor"). */
export function secondFactorRoutes(
  scope: FastifyInstance,
  deps: SecondFactorRoutesDependencies,
  limits: SignInLimits,
): void {
  const passkeyLimit = createAttemptLimit(OF_PASSKEYS);

  scope.get(SECOND_FACTOR, async (request, reply) => {
    const next = readNextPath(queryParameters(request).get('next'));
    const pending = await pendingOf(request);
    return pending === undefined ? reply.redirect(signInPath(next), 303) : send(request, reply, pending, { next });
  });

  scope.post<Body>(SECOND_FACTOR, async (request, reply) => {
    const next = readNextPath(valueIn(request.body, 'next'));
    const pending = await pendingOf(request);
    if (pending === undefined) return sendEnded(request, reply, next);
    const { personId, sessionMs } = pending;
    const finished =
      'passkey' in request.body ? await checkPasskey(request, pending) : await checkCode(request, pending);
    if (finished === 'wrong') return send(request, reply.code(403), pending, { next, isWrong: true });
    if (finished === 'ended') return sendEnded(request, reply, next);
    forgetCookie(request, reply);
    return admit(deps, request, reply, finished.personId ?? personId ?? '', { next, sessionMs });
  });

  scope.get(SIGN_IN_PASSKEY, async (_request, reply) => reply.redirect(HOME, 303));
  scope.post<Body>(SIGN_IN_PASSKEY, async (request, reply) => {
    if (!deps.hasPasswords) return sendNoPasswords(request, reply);
    const wait = await passkeyLimit.attempt(clientNetwork(request.ip), '', async () => false);
    if (typeof wait === 'number') throw tooMany(request, 'passkeys', wait);
    const value = await askPasskey(deps);
    setCookie(request, reply, { name: PENDING_COOKIE, value, path: '/', maxAgeMs: PENDING_MS });
    const next = readNextPath(valueIn(request.body, 'next'));
    return reply.redirect(leadingTo(next, SECOND_FACTOR), 303);
  });

  function pendingOf(request: FastifyRequest): Promise<PendingSignIn | undefined> {
    return findPendingSignIn(deps, cookieOf(request));
  }

  async function checkCode(request: FastifyRequest<Body>, pending: PendingSignIn): Promise<Finished> {
    const { personId } = pending;
    if (personId === null) return 'wrong';
    let outcome: Awaited<ReturnType<typeof finishSignIn>> = 'wrong';
    await limits.attempt(request, { what: 'codes', of: personId }, { id: personId }, async () => {
      const code = valueIn(request.body, 'code') ?? '';
      outcome = await finishSignIn(deps, pending, () => useSecondFactor(deps, personId, code));
      return outcome === 'right';
    });
    return finishedBy(outcome, personId);
  }

  async function checkPasskey(request: FastifyRequest<Body>, pending: PendingSignIn): Promise<Finished> {
    let owner: string | undefined;
    const challenge = challengeOf(cookieOf(request), 'use');
    const outcome = await finishSignIn(deps, pending, async () => {
      owner = await usePasskey(deps, siteOf(request), challenge, saidIn(request.body));
      return owner !== undefined && (pending.personId === null || pending.personId === owner);
    });
    return finishedBy(outcome, owner);
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { personId }: PendingSignIn,
    said: Pick<SecondFactorPageProps, 'next' | 'isWrong'>,
  ): Promise<FastifyReply> {
    const passkeys = personId === null ? [] : await deps.passkeys.list(personId);
    const usesPasskey = personId === null || passkeys.length > 0;
    const signing = usesPasskey ? signingOf(request, challengeOf(cookieOf(request), 'use'), passkeys) : undefined;
    return sendPage(reply, <SecondFactorPage {...said} hasCode={personId !== null} signing={signing} />);
  }

  function sendEnded(request: FastifyRequest, reply: FastifyReply, next: string | undefined): FastifyReply {
    forgetCookie(request, reply);
    const { signIn } = localeFor(request).words;
    return sendPage(
      reply.code(403),
      <MessagePage title={signIn.again}>
        <p>{signIn.ended}</p>
        <p>
          <a href={signInPath(next)}>{signIn.signIn}</a>
        </p>
      </MessagePage>,
    );
  }
}

/** Who is let in, or why nobody is. */
type Finished = { readonly personId: string | undefined } | 'wrong' | 'ended';

function finishedBy(outcome: 'right' | 'wrong' | 'ended', personId: string | undefined): Finished {
  return outcome === 'right' ? { personId } : outcome;
}

function cookieOf(request: FastifyRequest): string {
  return readCookie(request, PENDING_COOKIE) ?? '';
}

function forgetCookie(request: FastifyRequest, reply: FastifyReply): void {
  setCookie(request, reply, { name: PENDING_COOKIE, value: '', path: '/', maxAgeMs: 0 });
}

interface SecondFactorPageProps {
  readonly next: string | undefined;
  readonly isWrong?: boolean;
  /** Whether a code is taken. */
  readonly hasCode: boolean;
  /** What a passkey is to sign, where one is taken. */
  readonly signing: object | undefined;
}

function SecondFactorPage({ next, isWrong = false, hasCode, signing }: SecondFactorPageProps) {
  const { signIn } = useLocale().words;
  const leads = next !== undefined && <input type="hidden" name="next" value={next} />;
  const detail = hasCode ? signIn.wrongCode : signIn.unknownPasskey;
  const faults = isWrong ? [{ field: 'code', code: 'not_allowed' as const, detail }] : [];
  return (
    <MessagePage title={hasCode ? signIn.secondFactor : signIn.passkey} hasPasskeys={signing !== undefined}>
      {hasCode && (
        <form method="post" action={SECOND_FACTOR}>
          {leads}
          <TextField
            name="code"
            label={signIn.code}
            hint={signIn.codeHint}
            autocomplete="one-time-code"
            autocapitalize="none"
            spellcheck={false}
            required
            maxLength={100}
            faults={faults}
          />
          <button type="submit">{signIn.signIn}</button>
        </form>
      )}
      {!hasCode && isWrong && (
        <p class="fault" role="alert">
          {detail}
        </p>
      )}
      {signing !== undefined && (
        <PasskeyForm action={SECOND_FACTOR} options={signing} submit={signIn.usePasskey}>
          {leads}
        </PasskeyForm>
      )}
      {!hasCode && (
        <p>
          <a href={signInPath(next)}>{signIn.otherWay}</a>
        </p>
      )}
      {hasCode && <p class="hint">{signIn.withoutCodes}</p>}
    </MessagePage>
  );
}
