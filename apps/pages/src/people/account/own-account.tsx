import type { Account } from '@hitherto/domain/access';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { AccountTabs, type AccountTabsProps, accountsToChoose, type FindingAccounts } from '../../owner/accounts.tsx';
import { OwnerFrame } from '../../owner/owner-frame.tsx';
import { actForAccountInPath, requireRight, viewerOf } from '../../owner/session.ts';
import { headerOf } from '../../shared/header.ts';
import { localeFor } from '../../shared/locale.tsx';
import { accountKeysPath, accountPath, brandPath, peoplePath } from '../../shared/paths.ts';
import { pageNotFound } from '../../shared/send-error.tsx';

/** A request whose path names an account. */
export type OfAccount = { Params: { readonly id: string } };

/** The routes of the scope are about the account in their path, for its owners. Other accounts count as absent. */
export function ownAccount(scope: FastifyInstance): void {
  actForAccountInPath(scope);
  requireRight(scope, 'manage_account');
}

/** The account that a request is about, and the others that they own. */
export interface OwnAccount extends Account {
  readonly accounts: AccountTabsProps['accounts'];
}

/** The account that the request is about. */
export async function accountIn(deps: FindingAccounts, request: FastifyRequest): Promise<OwnAccount> {
  const account = await deps.access.findAccount(viewerOf(request).accountId);
  if (account === undefined) throw pageNotFound();
  return { ...account, accounts: await accountsToChoose(deps, request, 'manage_account') };
}

const PATHS = {
  people: (accountId: string) => peoplePath(accountId),
  accountKeys: (accountId: string) => accountKeysPath(accountId),
  account: accountPath,
  brand: brandPath,
} as const;
const PAGES = ['people', 'accountKeys', 'account', 'brand'] as const;

interface AccountFrameProps {
  readonly request: FastifyRequest;
  readonly account: OwnAccount;
  readonly page: (typeof PAGES)[number];
  readonly children: ComponentChildren;
}

/** The frame around the pages of one account, with their tabs. */
export function AccountFrame({ request, account: { id, name, accounts }, page, children }: AccountFrameProps) {
  const { people } = localeFor(request).words;
  return (
    <OwnerFrame header={headerOf(request)} title={`${people[page]} · ${name}`} canCopy={page === 'accountKeys'}>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <AccountTabs accounts={accounts} pathOf={PATHS[page]} />
      <nav class="tabs" aria-label={people.pagesOfAccount}>
        {PAGES.map((each) => (
          <a key={each} href={PATHS[each](id)} aria-current={each === page ? 'page' : undefined}>
            {people[each]}
          </a>
        ))}
      </nav>
      {children}
    </OwnerFrame>
  );
}
