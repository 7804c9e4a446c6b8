import type { SessionDependencies } from '@hitherto/domain/people';
import { type Body, valueIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { HOME, YOU, youPath } from '../../shared/paths.ts';
import { personOf, type YouSection } from './section.ts';

export type SessionsDependencies = Pick<SessionDependencies, 'sessions'>;

/** Where the person is signed in. */
export function sessionsSection({ sessions }: SessionsDependencies): YouSection {
  return {
    path: youPath('sessions'),
    async show(request) {
      const { person, session: current } = personOf(request);
      const listed = await sessions.list(person.id);
      const { people } = localeFor(request).words;
      return (
        <section>
          <h2>{people.sessions}</h2>
          <ul class="card definitions">
            {listed.map(({ hash, browser, network, createdAt, lastUsedAt }) => (
              <li key={hash}>
                <div>
                  <strong>{browser ?? people.unknownBrowser}</strong>
                  {hash === current.hash && people.thisOne}
                  <p class="hint">
                    {people.sessionFacts(
                      network ?? people.unknownNetwork,
                      createdAt.toISOString().slice(0, 10),
                      `${lastUsedAt.toISOString().slice(0, 13).replace('T', ' ')}:00 UTC`,
                    )}
                  </p>
                </div>
                <form method="post" action={youPath('sessions')}>
                  <input type="hidden" name="session" value={publicNameOf(hash)} />
                  <button class="plain" type="submit">
                    {people.signOut}
                  </button>
                </form>
              </li>
            ))}
          </ul>
          {listed.length > 1 && (
            <form method="post" action={youPath('sessions')}>
              <button type="submit">{people.signOutOthers}</button>
            </form>
          )}
        </section>
      );
    },
    routes: (scope) =>
      scope.post<Body>(youPath('sessions'), async (request, reply) => {
        const { person, session } = personOf(request);
        const named = valueIn(request.body, 'session');
        for (const { hash } of await sessions.list(person.id)) {
          if (named === undefined ? hash !== session.hash : publicNameOf(hash) === named) await sessions.delete(hash);
        }
        return reply.redirect(named === publicNameOf(session.hash) ? HOME : `${YOU}?saved`, 303);
      }),
  };
}

/** Names a session in a form: the cookie cannot be found from it. */
function publicNameOf(hash: string): string {
  return hash.slice(0, 16);
}
