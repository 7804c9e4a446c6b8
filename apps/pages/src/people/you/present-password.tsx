import { type Fault, InvalidFields } from '@hitherto/domain/base';
import { foldEmail, isPasswordOf, type JoinDependencies, type Person } from '@hitherto/domain/people';
import type { FastifyRequest } from 'fastify';
import { TextField } from '../../owner/field.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor, useLocale } from '../../shared/locale.tsx';

const FIELD = 'current_password';

interface PresentPasswordProps {
  readonly person: Person;
  /** Of the field: the page has several. */
  readonly id: string;
  readonly faults: readonly Fault[];
}

/** The field that `requirePassword` reads; nothing for a person without a password. */
export function PresentPassword({ person, id, faults }: PresentPasswordProps) {
  const { people } = useLocale().words;
  if (person.passwordHash === null) return null;
  return (
    <TextField
      name={FIELD}
      id={id}
      label={people.presentPassword}
      type="password"
      autocomplete="current-password"
      required
      maxLength={256}
      faults={faults}
    />
  );
}

/**
 * Makes sure that it is the person who changes how they sign in: the form has to have their present password, if they have one.
 * Wrong ones count as those of the sign-in do.
 *
 * @throws InvalidFields, HttpProblem `rate_limited`
 */
export async function requirePassword(
  deps: Pick<JoinDependencies, 'passwords'>,
  limits: SignInLimits,
  request: FastifyRequest<Body>,
  person: Person,
): Promise<void> {
  if (person.passwordHash === null) return;
  const password = valueIn(request.body, FIELD) ?? '';
  const isRight = await limits.attempt(request, { of: foldEmail(person.email), what: 'passwords' }, person, () =>
    isPasswordOf(deps, person, password),
  );
  if (isRight) return;
  const detail = localeFor(request).words.people.wrongPassword;
  throw new InvalidFields([{ field: FIELD, code: 'not_allowed', detail }]);
}
