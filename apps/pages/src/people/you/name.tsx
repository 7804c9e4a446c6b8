import { changePerson } from '@hitherto/domain/people';
import { TextField } from '../../owner/field.tsx';
import { type Body, valueIn } from '../../shared/form.ts';
import { YOU, youPath } from '../../shared/paths.ts';
import type { PasswordDependencies } from './password.tsx';
import { personOf, type YouSection } from './section.ts';

/** The person's name. */
export function nameSection(deps: PasswordDependencies): YouSection {
  return {
    path: youPath('name'),
    show: (request, { values, faults }) => (
      <section>
        <form class="settings" method="post" action={youPath('name')}>
          <TextField
            name="name"
            label="Name"
            autocomplete="name"
            value={values.name ?? personOf(request).person.name}
            required
            maxLength={100}
            faults={faults}
          />
          <button type="submit">Save</button>
        </form>
      </section>
    ),
    routes: (scope) =>
      scope.post<Body>(youPath('name'), async (request, reply) => {
        const { person, session } = personOf(request);
        await changePerson(deps, person.id, { name: valueIn(request.body, 'name') ?? '' }, session.hash);
        return reply.redirect(`${YOU}?saved`, 303);
      }),
  };
}
