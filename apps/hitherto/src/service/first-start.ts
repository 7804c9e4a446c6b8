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
import { type JoinDependencies, prepareSetup } from '@hitherto/domain/people';
import type { WebsiteDependencies } from '@hitherto/domain/websites';
import { SETUP } from '@hitherto/pages/paths';

const KEY_FILE = 'first.key';
const LINK_FILE = 'setup.link';
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

interface FirstStartDependencies
  extends AccessDependencies,
    Authored,
    Pick<WebsiteDependencies, 'websites'>,
    Pick<JoinDependencies, 'people'> {
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
  /** Whether standard error is a terminal. Otherwise it may be a log, and secrets are in files of the data folder. */
  readonly isTerminal: boolean;
}

/**
 * Tells how to begin with an embedded database: the link with which somebody becomes the owner, at each start until it was used,
 * and once a key of the account, which is created if there is none. If a start is killed halfway, the next one completes it.
 *
 * @param setupToken of the link, if it is set
 */
export async function welcome(
  deps: FirstStartDependencies,
  url: string,
  dataDir: string,
  setupToken: string | undefined,
): Promise<void> {
  if ((await listAccounts(deps)).length > 1) return;
  const { id, name } = await oldestAccount(deps);
  const isFirst = (await listKeys(deps, id)).length === 0;
  if (setupToken !== undefined) await offerSetup(deps, url, setupToken);
  else if (isFirst || (await isWaiting(deps, id)))
    await tellLink(deps, url, dataDir, await prepareSetup(deps, id, undefined));
  if (isFirst) await tellKey(deps, url, dataDir, name, (await issueKey(deps, id, { label: 'first start' })).text);
}

/** Whether an earlier start has made a link that nobody has used. */
async function isWaiting({ people }: Pick<JoinDependencies, 'people'>, accountId: string): Promise<boolean> {
  return (await people.listInvitations(accountId)).some(({ email }) => email === null);
}

/**
 * Lets the person who set the token become the owner of the oldest account, which is created where there is none. They know the link.
 */
export async function offerSetup(
  deps: AccessDependencies & Authored & Pick<FirstStartDependencies, 'people' | 'tell'>,
  url: string,
  setupToken: string,
): Promise<void> {
  const { id } = await oldestAccount(deps);
  if ((await prepareSetup(deps, id, setupToken)) === undefined) return;
  deps.tell(`\nOpen ${url}${SETUP}/SETUP_TOKEN to choose your e-mail address and password.\n`);
}

async function tellLink(
  deps: FirstStartDependencies,
  url: string,
  dataDir: string,
  token: string | undefined,
): Promise<void> {
  if (token === undefined) return;
  const link = `${url}${SETUP}/${token}`;
  if (deps.isTerminal) {
    deps.tell(`\nOpen ${link} to choose your e-mail address and password.\n`);
    return;
  }
  const file = await writeSecretFile(dataDir, LINK_FILE, link);
  deps.tell(`\nOpen the link in ${file} to choose your e-mail address and password.\n`);
}

async function tellKey(
  deps: FirstStartDependencies,
  url: string,
  dataDir: string,
  name: string,
  key: string,
): Promise<void> {
  if (!deps.isTerminal) {
    const file = await writeSecretFile(dataDir, KEY_FILE, key);
    deps.tell(`
Hitherto created the account "${name}" and an API key for it, which is in ${file}
Programs use it; people can sign in at ${url} with it, too. Then remove the file.

`);
    return;
  }
  deps.tell(`
Hitherto created the account "${name}" and an API key for it. The key is not shown again:

  ${key}

Programs use it; people can sign in at ${url} with it, too. To create a website with the API:

  curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/websites -d url=https://example.com

`);
}

/** Removes the file with the link, once it was used. */
export function forgetLink(dataDir: string): Promise<void> {
  return rm(resolve(dataDir, LINK_FILE), { force: true });
}

/** Only the user of the service can read the file. One that an earlier start or database has left is replaced. */
async function writeSecretFile(dataDir: string, name: string, secret: string): Promise<string> {
  const file = resolve(dataDir, name);
  await rm(file, { force: true });
  await writeFile(file, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return file;
}

/** Logs how to create the first account, which an external database does not get automatically. */
export async function adviseAccount(deps: Pick<AccessDependencies, 'access'>, log: Log): Promise<void> {
  if ((await listAccounts(deps)).length > 0) return;
  log('warn', 'there is no account yet: create one with "accounts create --name NAME", and a key with "keys create"');
}
