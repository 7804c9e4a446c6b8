import type { AccessRepository, Account } from '@hitherto/domain/access';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { headerOf } from '../../owner/header.ts';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import { actForAccountInPath, requireRight, viewerOf } from '../../owner/session.ts';
import { accountKeysPath, accountPath, peoplePath } from '../../shared/paths.ts';
import { pageNotFound } from '../../shared/send-error.tsx';

/** A request whose path names an account. */
export type OfAccount = { Params: { readonly id: string } };

/** The routes of the scope are about the account in their path, for its owners. Other accounts count as absent. */
export function ownAccount(scope: FastifyInstance): void {
  actForAccountInPath(scope);
  scope.addHook('preHandler', async (request) => {
    if (viewerOf(request).accountId !== (request.params as OfAccount['Params']).id.toLowerCase()) throw pageNotFound();
  });
  requireRight(scope, 'manage_account');
}

/** The account that the request is about. */
export async function accountIn(
  { access }: { readonly access: Pick<AccessRepository, 'findAccount'> },
  request: FastifyRequest,
): Promise<Account> {
  const account = await access.findAccount(viewerOf(request).accountId);
  if (account === undefined) throw pageNotFound();
  return account;
}

const PAGES = [
  ['People', peoplePath],
  ['Keys', accountKeysPath],
  ['Account', accountPath],
] as const;

interface AccountFrameProps {
  readonly request: FastifyRequest;
  readonly account: Account;
  readonly page: (typeof PAGES)[number][0];
  readonly children: ComponentChildren;
}

/** The frame around the pages of one account, with their tabs. */
export function AccountFrame({ request, account: { id, name }, page, children }: AccountFrameProps) {
  return (
    <OwnerFrame header={headerOf(request)} title={`${page} · ${name}`} canCopy={page === 'Keys'}>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <nav class="tabs" aria-label="Pages of the account">
        {PAGES.map(([text, pathOf]) => (
          <a key={text} href={pathOf(id)} aria-current={text === page ? 'page' : undefined}>
            {text}
          </a>
        ))}
      </nav>
      {children}
    </OwnerFrame>
  );
}
