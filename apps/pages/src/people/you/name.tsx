import { changePerson } from '@hitherto/domain/people';
import { LANGUAGE_TABLE, LANGUAGES } from '@hitherto/words';
import { SelectField, TextField } from '../../owner/field.tsx';
import { type Body, valueIn } from '../../shared/form.ts';
import { YOU, youPath } from '../../shared/paths.ts';
import type { PasswordDependencies } from './password.tsx';
import { personOf, type YouSection } from './section.ts';

/** The person's name and language. */
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
          <SelectField
            name="language"
            label="Language"
            hint="Of pages and mails."
            value={values.language ?? personOf(request).person.language ?? ''}
            options={[
              ['', 'That of the browser, and of the website in mails'],
              ...LANGUAGES.map((language) => [language, LANGUAGE_TABLE[language].name] as const),
            ]}
            faults={faults}
          />
          <button type="submit">Save</button>
        </form>
      </section>
    ),
    routes: (scope) =>
      scope.post<Body>(youPath('name'), async (request, reply) => {
        const { person, session } = personOf(request);
        const language = valueIn(request.body, 'language');
        const changes = { name: valueIn(request.body, 'name') ?? '', ...(language === undefined ? {} : { language }) };
        await changePerson(deps, person.id, changes, session.hash);
        return reply.redirect(`${YOU}?saved`, 303);
      }),
  };
}
