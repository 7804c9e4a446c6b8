import { type AccessRepository, type Account, type Action, may } from '@hitherto/domain/access';
import { viewersOf } from '@hitherto/domain/people';
import type { FastifyRequest } from 'fastify';
import { accountOf, signedInOf } from './session.ts';

export interface FindingAccounts {
  readonly access: AccessRepository;
}

/** The accounts in which somebody may do this, where there are several to choose from. */
export async function accountsToChoose(
  { access }: FindingAccounts,
  request: FastifyRequest,
  action: Action,
): Promise<AccountChoice[]> {
  const viewers = viewersOf(signedInOf(request)).filter((viewer) => may(viewer, action));
  if (viewers.length < 2) return [];
  const found = await Promise.all(viewers.map(({ accountId }) => access.findAccount(accountId)));
  return found.flatMap((account) =>
    account === undefined ? [] : [{ id: account.id, name: account.name, isShown: account.id === accountOf(request) }],
  );
}

interface AccountChoice extends Pick<Account, 'id' | 'name'> {
  readonly isShown: boolean;
}

export interface AccountTabsProps {
  readonly accounts: readonly AccountChoice[];
  /** The same page of another account. */
  readonly pathOf: (accountId: string) => string;
}

/** Leads to the same page of the other accounts. */
export function AccountTabs({ accounts, pathOf }: AccountTabsProps) {
  if (accounts.length === 0) return null;
  return (
    <nav class="tabs" aria-label="Accounts">
      {accounts.map(({ id, name, isShown }) => (
        <a key={id} href={pathOf(id)} aria-current={isShown ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}
