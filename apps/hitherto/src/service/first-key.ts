import { type AccessDependencies, createAccount, issueKey, listAccounts, listKeys } from '@hitherto/domain';
import type { Log } from '../database.ts';

const FIRST_ACCOUNT = 'default';

/**
 * Issues a write key where the database has none yet, in an account that is created where there is none, and tells it once.
 * A start that was killed halfway is completed by the next one.
 *
 * @param tell writes to standard error: no log ever holds a key
 */
export async function issueFirstKey(
  deps: AccessDependencies,
  url: string,
  tell: (text: string) => void,
): Promise<void> {
  const [account, ...others] = await listAccounts(deps);
  if (others.length > 0) return;
  const { id, name } = account ?? (await createAccount(deps, FIRST_ACCOUNT));
  if ((await listKeys(deps, id)).length > 0) return;
  const { text } = await issueKey(deps, id, { label: 'first start' });
  tell(`
Hitherto created the account "${name}" and an API key for it. The key is not shown again:

  ${text}

Create a first website with it:

  curl -H 'Authorization: Bearer ${text}' ${url}/api/v1/websites -d url=https://example.com

`);
}

/** Says how to create the first account: an external database gets none by itself. */
export async function adviseAccount(deps: Pick<AccessDependencies, 'access'>, log: Log): Promise<void> {
  if ((await listAccounts(deps)).length > 0) return;
  log('warn', 'there is no account yet: create one with "accounts create --name NAME", and a key with "keys create"');
}
