import { changePerson, type JoinDependencies } from '@hitherto/domain/people';
import { TextField } from '../../owner/field.tsx';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import { PresentPassword, requirePassword } from './present-password.tsx';
import { personOf, type YouSection } from './section.ts';

export type PasswordDependencies = Pick<
  JoinDependencies,
  'people' | 'passwords' | 'isCommonPassword' | 'now' | 'newId'
>;

/** The person's password. A new one signs all other browsers out. */
export function passwordSection(deps: PasswordDependencies, limits: SignInLimits): YouSection {
  return {
    path: youPath('password'),
    show(request, { faults }) {
      const { people, signIn } = localeFor(request).words;
      return (
        <section>
          <h2>{signIn.password}</h2>
          <form class="settings" method="post" action={youPath('password')}>
            <PresentPassword person={personOf(request).person} id="current_password" faults={faults} />
            <TextField
              name="password"
              label={signIn.newPassword}
              hint={people.newPasswordHint}
              type="password"
              autocomplete="new-password"
              required
              minLength={10}
              maxLength={256}
              faults={faults}
            />
            <button type="submit">{people.changePassword}</button>
          </form>
        </section>
      );
    },
    routes: (scope) =>
      scope.post<Body>(youPath('password'), async (request, reply) => {
        const { person, session } = personOf(request);
        await requirePassword(deps, limits, request, person);
        await changePerson(deps, person.id, { password: valueIn(request.body, 'password') ?? '' }, session.hash);
        return reply.redirect(`${YOU}?saved`, 303);
      }),
  };
}
