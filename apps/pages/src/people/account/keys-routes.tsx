import { type AccessDependencies, issueKey, revokeKeyOf } from '@hitherto/domain/access';
import { type Fault, InvalidFields } from '@hitherto/domain/base';
import type { PeopleRepository } from '@hitherto/domain/people';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { deleteOnce } from '../../owner/not-found.ts';
import type { FormFields } from '../../owner/resources/resource-pages.ts';
import { authorOf, viewerOf } from '../../owner/session.ts';
import { type Body, valuesIn } from '../../shared/form.ts';
import { localeFor } from '../../shared/locale.tsx';
import { sendPage } from '../../shared/page.tsx';
import { accountKeysPath } from '../../shared/paths.ts';
import { KeyForm, KeyList, NewKey, readKeyForm } from '../keys/key-form.tsx';
import { AccountFrame, accountIn, type OfAccount } from './own-account.tsx';

export interface AccountKeysDependencies
  extends AccessDependencies,
    Pick<WebsiteDependencies, 'websites' | 'directory'> {
  readonly people: Pick<PeopleRepository, 'listMembers'>;
}

type OfKey = { Params: { readonly id: string; readonly key: string } };
interface Said {
  readonly values: FormFields;
  readonly faults: readonly Fault[];
  readonly once?: string;
}

/** The keys of an account and of its members; the scope is of its owners. */
export function accountKeysRoutes(scope: FastifyInstance, deps: AccountKeysDependencies): void {
  scope.get<OfAccount>(accountKeysPath(':id'), (request, reply) => send(request, reply, { values: {}, faults: [] }));
  scope.get<OfKey>(accountKeysPath(':id', ':key'), async (request, reply) =>
    reply.redirect(accountKeysPath(viewerOf(request).accountId), 303),
  );

  scope.post<OfAccount & Body>(accountKeysPath(':id'), async (request, reply) => {
    const viewer = viewerOf(request);
    const values = valuesIn(request.body);
    try {
      const options = await readKeyForm(localeFor(request), deps, viewer, values);
      const { text } = await issueKey({ ...deps, author: authorOf(request) }, viewer.accountId, options);
      return await send(request, reply.code(201), { values: {}, faults: [], once: text });
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      return send(request, reply.code(422), { values, faults: error.faults });
    }
  });

  scope.post<OfKey>(accountKeysPath(':id', ':key'), async (request, reply) => {
    const { accountId } = viewerOf(request);
    await deleteOnce(revokeKeyOf({ ...deps, author: authorOf(request) }, { accountId }, request.params.key));
    return reply.redirect(accountKeysPath(accountId), 303);
  });

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { values, faults, once }: Said,
  ): Promise<FastifyReply> {
    const account = await accountIn(deps, request);
    const { people } = localeFor(request).words;
    const [keys, members] = await Promise.all([deps.access.listKeys(account.id), deps.people.listMembers(account.id)]);
    const names = new Map(members.map(({ person }) => [person.id, person.name]));
    return sendPage(
      reply,
      <AccountFrame request={request} account={account} page="accountKeys">
        {once !== undefined && <NewKey text={once} />}
        <KeyList
          keys={keys.filter(({ revokedAt }) => revokedAt === null)}
          ownerOf={({ member }) =>
            member === null ? people.ofAccount : people.ofMember(names.get(member.personId) ?? people.aMember)
          }
          now={deps.now()}
          revokePath={(id) => accountKeysPath(account.id, id)}
        />
        <section>
          <h2>{people.newAccountKey}</h2>
          <p>{people.newAccountKeyText}</p>
          <KeyForm action={accountKeysPath(account.id)} values={values} faults={faults} />
        </section>
      </AccountFrame>,
    );
  }
}
