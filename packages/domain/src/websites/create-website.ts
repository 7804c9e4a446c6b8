import { type Created, createOnce, idempotencyKeyReused } from '../changes/create-once.ts';
import type { Authored } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import { rejectForeignAliases } from './names.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { SETTING_NAMES } from './settings.ts';
import { makeWebsite, type NewWebsite, type Website } from './website.ts';
import { websiteChange } from './website-change.ts';
import type { WebsiteDirectory } from './website-directory.ts';
import type { WebsiteRepository } from './website-repository.ts';

/** The dependencies of the use cases. */
export interface WebsiteDependencies {
  readonly websites: WebsiteRepository;
  readonly directory: WebsiteDirectory;
  readonly idempotency: IdempotencyRepository;
  readonly passwords: PasswordHasher;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The dependencies of creating. */
interface CreateDependencies extends Authored, Pick<WebsiteDependencies, 'passwords' | 'now' | 'newId'> {
  readonly websites: Pick<WebsiteRepository, 'insert'>;
  readonly directory: Pick<WebsiteDirectory, 'findOwner'>;
}

/** The dependencies of creating with an `Idempotency-Key`. */
interface CreateOnceDependencies extends CreateDependencies, Pick<WebsiteDependencies, 'randomBytes'> {
  readonly idempotency: Pick<IdempotencyRepository, 'find'>;
}

/** Creates a website. Rejects with `UrlTaken` if the account has its address already, or `AliasTaken`. */
export async function createWebsite(deps: CreateDependencies, accountId: string, input: NewWebsite): Promise<Website> {
  const website = await newWebsite(deps, accountId, input);
  await deps.websites.insert(accountId, website, websiteChange(deps, accountId, undefined, website));
  return website;
}

/**
 * As {@link createWebsite}, once per `idempotencyKey` and account: see {@link createOnce}. A repeat must have the same
 * password.
 */
export async function createWebsiteOnce(
  deps: CreateOnceDependencies,
  accountId: string,
  input: NewWebsite,
  idempotencyKey: string,
): Promise<Created<Website>> {
  const created = await createOnce(deps, accountId, idempotencyKey, {
    content: contentOf(input),
    make: () => newWebsite(deps, accountId, input),
    insert: (website, record) =>
      deps.websites.insert(accountId, website, { ...websiteChange(deps, accountId, undefined, website), record }),
  });
  if (!created.replayed) return created;
  if (!(await hasPassword(deps.passwords, created.resource, input.password))) throw idempotencyKeyReused();
  return created;
}

async function newWebsite(deps: CreateDependencies, accountId: string, input: NewWebsite): Promise<Website> {
  const passwordHash = input.password === null ? null : await deps.passwords.hash(input.password);
  const website = makeWebsite(input, passwordHash, deps.newId(), deps.now());
  await rejectForeignAliases(deps.directory, accountId, website);
  return website;
}

/**
 * The fields that a repeat must have in common. The password is left out, because it could be guessed from a fast hash; it is
 * compared with the hash of the website.
 */
function contentOf(input: NewWebsite): string {
  return JSON.stringify([input.url, ...SETTING_NAMES.map((name) => input[name])]);
}

async function hasPassword(
  passwords: PasswordHasher,
  { passwordHash }: Website,
  password: string | null,
): Promise<boolean> {
  if (password === null || passwordHash === null) return password === passwordHash;
  return passwords.verify(passwordHash, password);
}
