import { type AccessDependencies, issueKey, revokeKeyOf } from '@hitherto/domain/access';
import { viewersOf } from '@hitherto/domain/people';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import { deleteOnce } from '../../owner/not-found.ts';
import { authorOf } from '../../owner/session.ts';
import { type Body, valuesIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { YOU, youPath } from '../../shared/paths.ts';
import { pageNotFound } from '../../shared/send-error.tsx';
import { KeyForm, KeyList, NewKey, readKeyForm, withKeyFaults } from '../keys/key-form.tsx';
import { personOf, type YouSection } from './section.ts';

export interface KeysDependencies extends AccessDependencies, Pick<WebsiteDependencies, 'websites' | 'directory'> {}

const KEYS = youPath('keys');
const revokePath = (id: string) => `${KEYS}/${id}/revoke`;

/** The person's own keys, which act with the rights that the person has. */
export function keysSection(deps: KeysDependencies): YouSection {
  return {
    path: KEYS,
    async show(request, { values, faults, once }) {
      const signedIn = personOf(request);
      const keys = await deps.access.listKeysOfPerson(signedIn.person.id);
      const accountIds = viewersOf(signedIn).map(({ accountId }) => accountId);
      const accounts = await Promise.all(
        accountIds.map(async (id) => [id, (await deps.access.findAccount(id))?.name ?? ''] as const),
      );
      const names = new Map(accounts);
      const { people } = localeFor(request).words;
      return (
        <section>
          <h2>{people.keys}</h2>
          <p>{people.keysText}</p>
          {once !== undefined && <NewKey text={once} />}
          <KeyList
            keys={keys.filter(({ revokedAt }) => revokedAt === null)}
            ownerOf={({ accountId }) => (accounts.length > 1 ? names.get(accountId) : undefined)}
            now={deps.now()}
            revokePath={revokePath}
          />
          {accounts.length > 0 && <KeyForm action={KEYS} accounts={accounts} values={values} faults={faults} />}
        </section>
      );
    },
    routes(scope, send) {
      scope.post<Body>(KEYS, async (request, reply) => {
        const signedIn = personOf(request);
        const values = valuesIn(request.body);
        const viewers = viewersOf(signedIn);
        const viewer =
          viewers.length === 1 ? viewers[0] : viewers.find(({ accountId }) => accountId === values.account);
        const member = signedIn.members.find(({ accountId }) => accountId === viewer?.accountId);
        if (viewer === undefined || member === undefined) throw pageNotFound();
        const options = { ...(await readKeyForm(localeFor(request), deps, viewer, values)), member };
        const issuing = { ...deps, author: authorOf(request) };
        const { text } = await withKeyFaults(() => issueKey(issuing, viewer.accountId, options));
        return send(request, reply.code(201), { values: {}, faults: [], once: text });
      });

      scope.get(revokePath(':key'), async (_request, reply) => reply.redirect(YOU, 303));
      scope.post<{ Params: { readonly key: string } }>(revokePath(':key'), async (request, reply) => {
        const { id: personId } = personOf(request).person;
        await deleteOnce(revokeKeyOf({ ...deps, author: authorOf(request) }, { personId }, request.params.key));
        return reply.redirect(`${YOU}?saved`, 303);
      });
    },
  };
}
