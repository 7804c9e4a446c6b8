import { type AccessDependencies, createAccount, issueKey, listAccounts, listKeys } from '@hitherto/domain';

const FIRST_ACCOUNT = 'default';

/**
 * A write key for a database that has none yet, in an account that is made where there is none; `undefined` where keys
 * were issued before. A start that was killed halfway is made good by the next one.
 */
export async function issueFirstKey(deps: AccessDependencies): Promise<{ account: string; key: string } | undefined> {
  const [account, ...others] = await listAccounts(deps);
  if (others.length > 0) return undefined;
  const { id, name } = account ?? (await createAccount(deps, FIRST_ACCOUNT));
  if ((await listKeys(deps, id)).length > 0) return undefined;
  const { text } = await issueKey(deps, id, { label: 'first start' });
  return { account: name, key: text };
}
