import { InvalidFields } from '@hitherto/domain/base';
import { foldEmail, isPasswordOf, type JoinDependencies, type Person } from '@hitherto/domain/people';
import type { FastifyRequest } from 'fastify';
import type { SignInLimits } from '../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../shared/form.ts';

/**
 * Makes sure that it is the person who changes how they sign in: the form has to have their present password, if they have one.
 * Wrong ones count as those of the sign-in do.
 *
 * @throws InvalidFields with a fault of `current_password`, HttpProblem `rate_limited`
 */
export async function requirePassword(
  deps: Pick<JoinDependencies, 'passwords'>,
  limits: SignInLimits,
  request: FastifyRequest<Body>,
  person: Person,
): Promise<void> {
  if (person.passwordHash === null) return;
  const password = valueIn(request.body, 'current_password') ?? '';
  const isRight = await limits.attempt(request, foldEmail(person.email), person, () =>
    isPasswordOf(deps, person, password),
  );
  if (isRight) return;
  const detail = 'This is not your present password.';
  throw new InvalidFields([{ field: 'current_password', code: 'not_allowed', detail }]);
}
