import type { Person, SessionDependencies } from '@hitherto/domain/people';
import { auditOrigin, clientNetwork, HttpProblem } from '@hitherto/http';
import type { FastifyRequest } from 'fastify';
import { createAttemptLimit, OF_STRANGERS } from '../shared/attempt-limit.ts';
import { localeFor } from '../shared/locale.tsx';

/** What is tried, and of whom: of an address, or of a person. */
interface Door {
  readonly what: 'passwords' | 'codes';
  readonly of: string;
}

/** The limits of wrong passwords and codes (people.md, "Signing in"). */
export interface SignInLimits {
  /**
   * Whether what somebody sent is right. After too many wrong ones it is not checked: then this throws the 429. Others cannot
   * lock out the networks from which a person signs in.
   *
   * @param door what wrong ones are counted by, beside the client
   * @param person whose door it is, if it is anybody's
   */
  attempt(
    request: FastifyRequest,
    door: Door,
    person: Pick<Person, 'id'> | undefined,
    isRight: () => Promise<boolean>,
  ): Promise<boolean>;
}

export function createSignInLimits({ sessions }: Pick<SessionDependencies, 'sessions'>): SignInLimits {
  const ofClient = createAttemptLimit();
  const ofStrangers = createAttemptLimit(OF_STRANGERS);

  return {
    async attempt(request, { what, of }, person, isRight) {
      const door = `${what} ${of}`;
      const here = auditOrigin(request).network;
      const known = await sessions.list(person?.id ?? '');
      const isStranger = known.every(({ network }) => network === null || network !== here);
      const attempt = () => ofClient.attempt(clientNetwork(request.ip), door, isRight);
      let outcome: Awaited<ReturnType<typeof attempt>> = 'wrong';
      if (isStranger) {
        const ofAll = await ofStrangers.attempt('', door, async () => {
          outcome = await attempt();
          return outcome !== 'wrong';
        });
        if (typeof ofAll === 'number') throw tooMany(request, what, ofAll);
      } else outcome = await attempt();
      if (typeof outcome === 'number') throw tooMany(request, what, outcome);
      return outcome === 'right';
    },
  };
}

/** The 429 after too many wrong passwords, codes or keys, or links that were asked for. */
export function tooMany(request: FastifyRequest, what: keyof typeof TOO_MANY, wait: number): HttpProblem {
  const { signIn, errors } = localeFor(request).words;
  const headers = { 'retry-after': String(wait) };
  return new HttpProblem('rate_limited', signIn[TOO_MANY[what]](errors.wait(wait)), headers);
}

const TOO_MANY = {
  keys: 'tooManyKeys',
  passkeys: 'tooManyPasskeys',
  passwords: 'tooManyPasswords',
  codes: 'tooManyCodes',
  links: 'tooManyLinks',
} as const;
