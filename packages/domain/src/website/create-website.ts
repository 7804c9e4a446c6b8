import { DomainError } from '../errors.ts';
import {
  fingerprintOf,
  hashIdempotencyKey,
  type IdempotencyRecord,
  makeIdempotencyRecord,
  openIdempotencyRecord,
} from '../idempotency/idempotency-record.ts';
import type { IdempotencyRepository } from '../idempotency/idempotency-repository.ts';
import type { PasswordHasher } from './password-hasher.ts';
import { DEFAULT_SETTINGS, isFirstSetting, keptSettings } from './settings.ts';
import { makeWebsite, type NewWebsite, type Website } from './website.ts';
import type { WebsiteRepository } from './website-repository.ts';

/** What the use cases need from outside. */
export interface WebsiteDependencies {
  readonly websites: WebsiteRepository;
  readonly idempotency: IdempotencyRepository;
  readonly passwords: PasswordHasher;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** What creating needs of them. */
interface CreateDependencies extends Pick<WebsiteDependencies, 'passwords' | 'now' | 'newId'> {
  readonly websites: Pick<WebsiteRepository, 'insert'>;
}

/** What creating with an `Idempotency-Key` needs of them. */
interface CreateOnceDependencies extends CreateDependencies, Pick<WebsiteDependencies, 'randomBytes'> {
  readonly idempotency: Pick<IdempotencyRepository, 'find'>;
}

/** How long a create can be repeated with its `Idempotency-Key`, in ms (decisions.md, "Retries and concurrency"). */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** Creates a website. Rejects with `UrlTaken` where the account has its address already. */
export async function createWebsite(deps: CreateDependencies, accountId: string, input: NewWebsite): Promise<Website> {
  const website = await newWebsite(deps, input);
  await deps.websites.insert(accountId, website);
  return website;
}

/** The result of a create that can be repeated; `replayed` tells that an earlier request created the website. */
export interface CreatedWebsite {
  readonly website: Website;
  readonly replayed: boolean;
}

/**
 * As {@link createWebsite}, once per `idempotencyKey` and account within 24 hours: a repeat resolves to the website as it
 * was created, even after it was updated or deleted.
 *
 * @throws DomainError `idempotency_key_reused` where the key came with other fields before
 */
export async function createWebsiteOnce(
  deps: CreateOnceDependencies,
  accountId: string,
  input: NewWebsite,
  idempotencyKey: string,
): Promise<CreatedWebsite> {
  const keyHash = hashIdempotencyKey(accountId, idempotencyKey);
  const known = await deps.idempotency.find(accountId, keyHash, deps.now());
  if (known !== undefined) return replay(deps.passwords, accountId, input, idempotencyKey, known);

  const website = await newWebsite(deps, input);
  const repeatable = {
    content: contentOf(input),
    response: JSON.stringify(website),
    expiresAt: new Date(website.createdAt.getTime() + IDEMPOTENCY_WINDOW_MS),
  };
  const record = makeIdempotencyRecord(accountId, idempotencyKey, repeatable, deps.randomBytes);
  const earlier = await deps.websites.insert(accountId, website, record);
  if (earlier !== undefined) return replay(deps.passwords, accountId, input, idempotencyKey, earlier);
  return { website, replayed: false };
}

async function newWebsite(deps: CreateDependencies, input: NewWebsite): Promise<Website> {
  const passwordHash = input.password === null ? null : await deps.passwords.hash(input.password);
  return makeWebsite(input, passwordHash, deps.newId(), deps.now());
}

/**
 * The fields that a repeat must have in common, in the form that records of earlier versions have. The password is left
 * out, because it could be guessed from a fast hash; it is compared with the hash of the website.
 */
function contentOf(input: NewWebsite): string {
  const settings = keptSettings(input).map((name) => (isFirstSetting(name) ? input[name] : { [name]: input[name] }));
  return JSON.stringify([input.url, ...settings]);
}

/** The website that an earlier request created, if `input` is the same. */
async function replay(
  passwords: PasswordHasher,
  accountId: string,
  input: NewWebsite,
  idempotencyKey: string,
  record: IdempotencyRecord,
): Promise<CreatedWebsite> {
  const isSame = record.fingerprint === fingerprintOf(accountId, idempotencyKey, contentOf(input));
  const website = isSame ? parseWebsite(openIdempotencyRecord(accountId, idempotencyKey, record)) : undefined;
  if (website === undefined || !(await hasPassword(passwords, website, input.password))) {
    throw new DomainError(
      'idempotency_key_reused',
      'This Idempotency-Key came with other fields before; use a new one.',
    );
  }
  return { website, replayed: true };
}

function parseWebsite(text: string): Website {
  const website: Website = JSON.parse(text);
  return {
    ...DEFAULT_SETTINGS,
    ...website,
    createdAt: new Date(website.createdAt),
    updatedAt: new Date(website.updatedAt),
  };
}

async function hasPassword(
  passwords: PasswordHasher,
  { passwordHash }: Website,
  password: string | null,
): Promise<boolean> {
  if (password === null || passwordHash === null) return password === passwordHash;
  return passwords.verify(passwordHash, password);
}
