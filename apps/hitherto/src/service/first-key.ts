import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  type AccessDependencies,
  type Account,
  createAccount,
  issueKey,
  listAccounts,
  listKeys,
} from '@hitherto/domain/access';
import { DomainError, type Log } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import type { WebsiteDependencies } from '@hitherto/domain/websites';

const KEY_FILE = 'first.key';
/** The name of the account that is created where there is none. */
const FIRST_ACCOUNT = 'default';

/** The oldest account; the first is created, unless another process does so at the same time. */
export async function oldestAccount(deps: AccessDependencies & Authored): Promise<Account> {
  const find = async () => (await listAccounts(deps)).toSorted(byAge)[0];
  const oldest = await find();
  if (oldest !== undefined) return oldest;
  try {
    return await createAccount(deps, FIRST_ACCOUNT);
  } catch (error) {
    const created = error instanceof DomainError && error.code === 'name_taken' ? await find() : undefined;
    if (created === undefined) throw error;
    return created;
  }
}

function byAge(one: Account, other: Account): number {
  return one.createdAt.getTime() - other.createdAt.getTime();
}

interface FirstKeyDependencies extends AccessDependencies, Authored, Pick<WebsiteDependencies, 'websites'> {
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Creates a write key if the database has none yet, and an account if there is none. A terminal shows the key once; otherwise
 * standard error may be a log, and the key is in a file of the data folder. If a start is killed halfway, the next one completes
 * it.
 */
export async function issueFirstKey(deps: FirstKeyDependencies, url: string, dataDir: string): Promise<void> {
  if ((await listAccounts(deps)).length > 1) return;
  const { id, name } = await oldestAccount(deps);
  if ((await listKeys(deps, id)).length > 0) return;
  const { text } = await issueKey(deps, id, { label: 'first start' });
  if (!deps.isTerminal) {
    const file = await writeKeyFile(dataDir, text);
    deps.tell(`
Hitherto created the account "${name}" and an API key for it, which is in ${file}
Open ${url}, sign in with the key and add a website. Then remove the file.

`);
    return;
  }
  deps.tell(`
Hitherto created the account "${name}" and an API key for it. The key is not shown again:

  ${text}

Open ${url}, sign in with the key and add a website. Or create one with the API:

  curl -H 'Authorization: Bearer ${text}' ${url}/api/v1/websites -d url=https://example.com

`);
}

/** Only the user of the service can read the file. One that an earlier database has left is replaced. */
async function writeKeyFile(dataDir: string, key: string): Promise<string> {
  const file = resolve(dataDir, KEY_FILE);
  await rm(file, { force: true });
  await writeFile(file, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return file;
}

/** Logs how to create the first account, which an external database does not get automatically. */
export async function adviseAccount(deps: Pick<AccessDependencies, 'access'>, log: Log): Promise<void> {
  if ((await listAccounts(deps)).length > 0) return;
  log('warn', 'there is no account yet: create one with "accounts create --name NAME", and a key with "keys create"');
}
