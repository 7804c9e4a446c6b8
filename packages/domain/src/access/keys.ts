import { DomainError, InvalidFields, inWords } from '../base/errors.ts';
import { type Authored, changesOf, makeEntry } from '../changes/entry.ts';
import type { Reach } from '../websites/reach.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';
import { type AccessDependencies, findAccount } from './accounts.ts';
import { type ApiKey, formatKey, hashKey, isUsable, KEY_BYTES, type KeyMember, type KeyScope } from './api-key.ts';

/** The scope, label and lifetime of a new key. */
export interface KeyOptions {
  /** By default `write`, or `read` for a viewer. */
  readonly scope?: KeyScope;
  /** At most 100 characters. */
  readonly label?: string;
  /** Whole days from now, 1 to 36,500; absent for a key that never expires. */
  readonly expiresInDays?: number;
  /** The only websites that it is for, 1 to 100 of those of the account or the member; absent for all. */
  readonly websiteIds?: readonly string[];
  /** To whom it belongs; absent for a key of the account. A viewer's has scope `read`. */
  readonly member?: KeyMember;
}

const MAX_LABEL_LENGTH = 100;
const MAX_WEBSITES = 100;
const MAX_DAYS = 36_500;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a key of an account, or of one of its members. The result holds the key itself, which is stored nowhere.
 *
 * @throws InvalidFields, DomainError `not_found`, `too_many_keys`
 */
export async function issueKey(
  deps: AccessDependencies & Authored & { readonly websites: Pick<WebsiteRepository, 'find'> },
  nameOrId: string,
  options: KeyOptions = {},
): Promise<{ readonly text: string; readonly key: ApiKey }> {
  const { member = null, label, expiresInDays: days } = options;
  const isViewer = member?.role === 'viewer';
  const { scope = isViewer ? 'read' : 'write' } = options;
  if (isViewer && scope === 'write') {
    throw new InvalidFields([{ field: 'scope', code: 'not_allowed', ...inWords(({ faults }) => faults.keys.scope) }]);
  }
  if (label !== undefined && ([...label].length > MAX_LABEL_LENGTH || /[\p{Cc}\p{Cs}]/u.test(label))) {
    const text = inWords(({ faults }) => faults.keys.label(MAX_LABEL_LENGTH));
    throw new InvalidFields([{ field: 'label', code: 'not_allowed', ...text }]);
  }
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= MAX_DAYS)) {
    const text = inWords(({ faults }) => faults.keys.days(MAX_DAYS));
    throw new InvalidFields([{ field: 'expires_in', code: 'not_allowed', ...text }]);
  }
  const account = await findAccount(deps, nameOrId);
  const websiteIds = options.websiteIds && [...new Set(options.websiteIds)];
  const reach = { accountId: account.id, websiteIds: member?.websiteIds ?? null };
  if (websiteIds !== undefined) await rejectForeign(deps, reach, websiteIds);
  const text = formatKey(deps.randomBytes(KEY_BYTES));
  const hash = hashKey(text);
  if (hash === undefined) throw new Error('A new key does not match its own checksum.');
  const now = deps.now();
  const key: ApiKey = {
    id: deps.newId(),
    accountId: account.id,
    member: member && { personId: member.personId, role: member.role, websiteIds: member.websiteIds },
    limitedTo: websiteIds ?? null,
    hash,
    scope,
    label: label || null,
    createdAt: now,
    expiresAt: days === undefined ? null : new Date(now.getTime() + days * DAY_MS),
    revokedAt: null,
    lastUsedAt: null,
  };
  const entry = makeEntry(deps, {
    accountId: account.id,
    action: 'key.created',
    websiteId: null,
    subject: { id: key.id, name: key.label },
    changes: changesOf(
      {},
      { scope, label: key.label, expiresAt: key.expiresAt?.toISOString(), websiteIds, personId: member?.personId },
    ),
  });
  await deps.access.insertKey(key, { entry });
  return { text, key };
}

/** Throws `InvalidFields` unless all are reached, and there are as many as a key may have. */
async function rejectForeign(
  { websites }: { readonly websites: Pick<WebsiteRepository, 'find'> },
  reach: Reach,
  websiteIds: readonly string[],
): Promise<void> {
  if (websiteIds.length < 1 || websiteIds.length > MAX_WEBSITES) {
    const text = inWords(({ faults }) => faults.keys.websites(MAX_WEBSITES));
    throw new InvalidFields([{ field: 'website_ids', code: 'not_allowed', ...text }]);
  }
  for (const id of websiteIds) {
    if ((await websites.find(reach, id)) !== undefined) continue;
    const detail = `${id} is not the id of a website of this account.`;
    throw new InvalidFields([{ field: 'website_ids', code: 'unknown_website', detail }]);
  }
}

/** The keys of an account and of its members, oldest first. Throws `not_found`. */
export async function listKeys(deps: Pick<AccessDependencies, 'access'>, nameOrId: string): Promise<ApiKey[]> {
  const account = await findAccount(deps, nameOrId);
  return deps.access.listKeys(account.id);
}

type Revoking = Authored & Pick<AccessDependencies, 'access' | 'now' | 'newId'>;

/** Revokes a key permanently. Throws `not_found`. */
export async function revokeKey(deps: Revoking, id: string): Promise<void> {
  const key = await deps.access.findKey(id);
  if (key === undefined || !(await revoke(deps, key))) throw keyNotFound();
}

/** Revokes a key of this account, or else of this person. Throws `not_found`. */
export async function revokeKeyOf(
  deps: Revoking,
  owner: { readonly accountId: string } | { readonly personId: string },
  id: string,
): Promise<void> {
  const key = await deps.access.findKey(id);
  const isOwn = 'accountId' in owner ? key?.accountId === owner.accountId : key?.member?.personId === owner.personId;
  if (key === undefined || !isOwn || !(await revoke(deps, key))) throw keyNotFound();
}

async function revoke(deps: Revoking, { id, accountId, label: name, revokedAt }: ApiKey): Promise<boolean> {
  if (revokedAt !== null) return true;
  const about = { accountId, action: 'key.revoked', websiteId: null, subject: { id, name }, changes: [] } as const;
  return deps.access.revokeKey(id, deps.now(), { entry: makeEntry(deps, about) });
}

function keyNotFound(): DomainError {
  return new DomainError(
    'not_found',
    "There is no key with this id. `keys list --account NAME_OR_ID` shows an account's keys.",
  );
}

/**
 * The key with this string, or `undefined` if it is malformed, unknown, revoked or expired. A malformed key costs no query.
 */
export async function authenticate(
  deps: Pick<AccessDependencies, 'access' | 'now'>,
  text: string,
): Promise<ApiKey | undefined> {
  const hash = hashKey(text);
  const key = hash === undefined ? undefined : await deps.access.findKeyByHash(hash);
  return key !== undefined && isUsable(key, deps.now()) ? key : undefined;
}
