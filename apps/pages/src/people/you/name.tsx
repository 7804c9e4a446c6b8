import { changePerson } from '@hitherto/domain/people';
import { LANGUAGE_TABLE, LANGUAGES } from '@hitherto/words';
import { SelectField, TextField } from '../../owner/field.tsx';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import type { PasswordDependencies } from './password.tsx';
import { personOf, type YouSection } from './section.ts';

/** The person's name and language. */
export function nameSection(deps: PasswordDependencies): YouSection {
  return {
    path: youPath('name'),
    show(request, { values, faults }) {
      const { people, signIn } = localeFor(request).words;
      return (
        <section>
          <form class="settings" method="post" action={youPath('name')}>
            <TextField
              name="name"
              label={signIn.name}
              autocomplete="name"
              value={values.name ?? personOf(request).person.name}
              required
              maxLength={100}
              faults={faults}
            />
            <SelectField
              name="language"
              label={people.language}
              hint={people.languageHint}
              value={values.language ?? personOf(request).person.language ?? ''}
              options={[
                ['', people.languageOfBrowser],
                ...LANGUAGES.map((language) => [language, LANGUAGE_TABLE[language].name] as const),
              ]}
              faults={faults}
            />
            <button type="submit">{people.save}</button>
          </form>
        </section>
      );
    },
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
