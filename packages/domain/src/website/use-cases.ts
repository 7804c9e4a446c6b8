import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError, unavailable } from '../errors.ts';
import {
  fingerprintOf,
  hashIdempotencyKey,
  makeStoreRecord,
  openStoreRecord,
  type StoreRecord,
} from './idempotency.ts';
import type { PasswordHasher } from './password-hasher.ts';
import {
  changeWebsite,
  makeWebsite,
  type NewWebsite,
  type Website,
  type WebsiteChanges,
  websiteNotFound,
} from './website.ts';
import type { Cut, WebsiteFilter, WebsitePage, WebsiteRepository } from './website-repository.ts';
import { foldCase } from './website-url.ts';

/** What the use cases need from outside. */
export interface WebsiteDependencies {
  readonly websites: WebsiteRepository;
  readonly passwords: PasswordHasher;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
}

/** Decides by the website's current version whether a request may go on; it throws `precondition_failed` where not. */
export type Precondition = (website: Website) => void;

/** Each lost round means that another writer won, so that this many are lost only under a flood of writes to one website. */
const MAX_ROUNDS = 100;

/** Adds a website to the account's. Rejects with `UrlTaken` where the account has its address already. */
export async function createWebsite(deps: WebsiteDependencies, accountId: string, input: NewWebsite): Promise<Website> {
  const website = await newWebsite(deps, input);
  await deps.websites.insert(accountId, website);
  return website;
}

/** What a store that may be repeated came to: `replayed` tells that the website is the answer to an earlier one. */
export interface StoreOutcome {
  readonly website: Website;
  readonly replayed: boolean;
}

/**
 * As {@link createWebsite}, once per `idempotencyKey` and account within 24 hours: a repeat answers the website as it was
 * stored first, even after it changed or went.
 *
 * @throws DomainError `idempotency_key_reused` where the key came with other fields before
 */
export async function createWebsiteOnce(
  deps: WebsiteDependencies,
  accountId: string,
  input: NewWebsite,
  idempotencyKey: string,
): Promise<StoreOutcome> {
  const replay = async (record: StoreRecord): Promise<StoreOutcome> => {
    const website = await replayStore(deps, accountId, input, idempotencyKey, record);
    return { website, replayed: true };
  };
  const known = await deps.websites.findStoreRecord(
    accountId,
    hashIdempotencyKey(accountId, idempotencyKey),
    deps.now(),
  );
  if (known !== undefined) return replay(known);

  const website = await newWebsite(deps, input);
  const record = makeStoreRecord(accountId, idempotencyKey, input, website);
  const earlier = await deps.websites.insert(accountId, website, record);
  return earlier === undefined ? { website, replayed: false } : replay(earlier);
}

/** The website. Rejects with `not_found`. */
export async function showWebsite(
  deps: Pick<WebsiteDependencies, 'websites'>,
  accountId: string,
  id: string,
): Promise<Website> {
  const website = await deps.websites.find(accountId, id);
  if (website === undefined) throw websiteNotFound();
  return website;
}

/** A page of the account's websites. The search is plain text; its letter case does not matter. */
export function listWebsites(
  deps: Pick<WebsiteDependencies, 'websites'>,
  accountId: string,
  filter: WebsiteFilter,
  limit: number,
  cut?: Cut,
): Promise<WebsitePage> {
  const { search, order } = filter;
  return deps.websites.list(
    accountId,
    search === undefined ? { order } : { order, search: foldCase(search) },
    limit,
    cut,
  );
}

/**
 * Changes a website atomically: of concurrent changes to different fields all are kept. Changes that change nothing leave
 * the website, `updatedAt` included, as it is.
 *
 * @throws DomainError `not_found`, what the precondition throws, `InvalidFields` (`password_required`), `UrlTaken`
 */
export async function updateWebsite(
  deps: WebsiteDependencies,
  accountId: string,
  id: string,
  changes: WebsiteChanges,
  precondition?: Precondition,
): Promise<Website> {
  let passwordHash: string | null = null;
  return untilSettled(async () => {
    const website = await showWebsite(deps, accountId, id);
    precondition?.(website);
    if (typeof changes.password === 'string') passwordHash ??= await deps.passwords.hash(changes.password);
    const changed = changeWebsite(website, changes, passwordHash, deps.now());
    if (changed === website) return website;
    return (await deps.websites.replace(accountId, changed, website.updatedAt)) ? changed : undefined;
  });
}

/**
 * Removes a website.
 *
 * @throws DomainError `not_found`, or what the precondition throws
 */
export async function deleteWebsite(
  deps: Pick<WebsiteDependencies, 'websites'>,
  accountId: string,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  if (precondition === undefined) {
    if (!(await deps.websites.delete(accountId, id))) throw websiteNotFound();
    return;
  }
  await untilSettled(async () => {
    const website = await showWebsite(deps, accountId, id);
    precondition(website);
    return (await deps.websites.delete(accountId, id, website.updatedAt)) ? website : undefined;
  });
}

async function newWebsite(deps: WebsiteDependencies, input: NewWebsite): Promise<Website> {
  const passwordHash = input.password === null ? null : await deps.passwords.hash(input.password);
  return makeWebsite(input, passwordHash, deps.newId(), deps.now());
}

async function replayStore(
  deps: WebsiteDependencies,
  accountId: string,
  input: NewWebsite,
  idempotencyKey: string,
  record: StoreRecord,
): Promise<Website> {
  const reused = () =>
    new DomainError('idempotency_key_reused', 'This Idempotency-Key came with other fields before; use a new one.');
  if (record.fingerprint !== fingerprintOf(accountId, idempotencyKey, input)) throw reused();
  const website = openStoreRecord(accountId, idempotencyKey, record);
  if (input.password === null || website.passwordHash === null) {
    if (input.password !== website.passwordHash) throw reused();
  } else if (!(await deps.passwords.verify(website.passwordHash, input.password))) throw reused();
  return website;
}

/** Compare-and-set: tries anew until a round comes to something, so that no lock is held while JavaScript runs. */
async function untilSettled<T>(round: () => Promise<T | undefined>): Promise<T> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) {
    const settled = await round();
    if (settled !== undefined) return settled;
    // A random pause lets writers pass one another.
    await sleep(Math.random() * Math.min(rounds, 20));
  }
  throw unavailable('Too many writers change this website at the same time.');
}
