import { linkIdentity } from '@hitherto/domain/people';
import type { SignInLimits } from '../../owner/sign-in-limits.ts';
import type { ProviderSignIn } from '../../owner/ways-in.ts';
import type { Body } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import { type ProviderDependencies, sendToProvider } from '../provider-routes.tsx';
import { PresentPassword, requirePassword } from './present-password.tsx';
import { personOf, type YouSection } from './section.ts';

export type ProviderSectionDependencies = Pick<ProviderDependencies, 'people' | 'passwords' | 'now' | 'newId'>;

const UNLINK = `${youPath('provider')}/unlink`;

/** Whether the person can sign in through the provider. */
export function providerSection(
  deps: ProviderSectionDependencies,
  limits: SignInLimits,
  provider: ProviderSignIn,
): YouSection {
  const { name, issuer } = provider.client;
  return {
    path: youPath('provider'),
    show(request, { faults }) {
      const { person } = personOf(request);
      const { people } = localeFor(request).words;
      const isLinked = person.identity?.issuer === issuer;
      const present = <PresentPassword person={person} id="provider_password" faults={faults} />;
      return (
        <section>
          <h2>{name}</h2>
          {!isLinked ? (
            <form class="settings" method="post" action={youPath('provider')}>
              <p>{people.linkProviderText}</p>
              {present}
              <button type="submit">{people.linkProvider(name)}</button>
            </form>
          ) : person.passwordHash === null ? (
            <p>{people.onlyProvider}</p>
          ) : (
            <form class="settings" method="post" action={UNLINK}>
              <p>{people.hasProvider}</p>
              {present}
              <button type="submit">{people.unlinkProvider(name)}</button>
            </form>
          )}
        </section>
      );
    },
    routes(scope) {
      scope.post<Body>(youPath('provider'), async (request, reply) => {
        const { person, session } = personOf(request);
        await requirePassword(deps, limits, request, person);
        return sendToProvider(provider, request, reply, { session: session.hash });
      });
      scope.get(UNLINK, async (_request, reply) => reply.redirect(YOU, 303));
      scope.post<Body>(UNLINK, async (request, reply) => {
        const { person } = personOf(request);
        await requirePassword(deps, limits, request, person);
        // Who has no password would have no way in.
        if (person.passwordHash !== null) await linkIdentity(deps, person.id, null);
        return reply.redirect(`${YOU}?saved`, 303);
      });
    },
  };
}
