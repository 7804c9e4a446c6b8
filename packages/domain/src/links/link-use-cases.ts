import { DomainError, InvalidFields } from '../base/errors.ts';
import { type AuditEntry, type Authored, changesOf, makeEntry, secretChange } from '../changes/entry.ts';
import type { PasswordHasher } from '../websites/password-hasher.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { hashToken, makeToken, type NewLink, type SharedLink } from './link.ts';
import type { LinkRepository } from './link-repository.ts';

export interface LinkDependencies {
  readonly links: LinkRepository;
  readonly passwords: PasswordHasher;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** All links of a website in the order of their creation, expired ones included. Rejects with `not_found`. */
export async function listLinks(
  { links }: Pick<LinkDependencies, 'links'>,
  website: WebsiteKey,
): Promise<SharedLink[]> {
  const found = await links.list(website);
  if (found === undefined) throw notFound();
  return found;
}

/**
 * Creates a link. The result has its token, which is stored nowhere.
 *
 * @throws DomainError `not_found` if the account has no such website; `too_many_links`
 * @throws InvalidFields `unknown_segment` if the website has no such segment
 */
export async function createLink(
  deps: LinkDependencies & Authored,
  website: WebsiteKey,
  { name, segmentId, expiresAt, password }: NewLink,
): Promise<{ readonly link: SharedLink; readonly token: string }> {
  const token = makeToken(deps.randomBytes);
  const tokenHash = hashToken(token);
  if (tokenHash === undefined) throw new Error('A token must have 32 bytes.');
  const passwordHash = password === null ? null : await deps.passwords.hash(password);
  const link = { id: deps.newId(), name, tokenHash, segmentId, expiresAt, passwordHash, createdAt: deps.now() };
  const entry = linkEntry(deps, website, undefined, link);
  if (await deps.links.insert(website, link, { entry })) return { link, token };
  if ((await deps.links.list(website)) === undefined) throw notFound();
  const detail = 'The website has no segment with this id.';
  throw new InvalidFields([{ field: 'segment', code: 'unknown_segment', detail }]);
}

/** Revokes a link, which from now on leads nowhere, on every instance. Rejects with `not_found`. */
export async function revokeLink(
  deps: Pick<LinkDependencies, 'links' | 'now' | 'newId'> & Authored,
  website: WebsiteKey,
  id: string,
): Promise<void> {
  const link = (await listLinks(deps, website)).find((each) => each.id === id);
  if (link === undefined) throw notFound();
  if (!(await deps.links.delete(website, id, { entry: linkEntry(deps, website, link, undefined) }))) throw notFound();
}

/** The entry about a link that is created (no `before`) or revoked. */
function linkEntry(
  deps: Pick<LinkDependencies, 'now' | 'newId'> & Authored,
  { accountId, websiteId }: WebsiteKey,
  before: SharedLink | undefined,
  after: SharedLink | undefined,
): AuditEntry {
  const { id = '', name = '' } = after ?? before ?? {};
  return makeEntry(deps, {
    accountId,
    action: before === undefined ? 'link.created' : 'link.revoked',
    websiteId,
    subject: { id, name },
    changes: [
      ...changesOf(fieldsOf(before), fieldsOf(after)),
      ...secretChange('password', before?.passwordHash ?? null, after?.passwordHash ?? null),
    ],
  });
}

function fieldsOf(link: SharedLink | undefined): Readonly<Record<string, unknown>> {
  if (link === undefined) return {};
  return { name: link.name, segment: link.segmentId, expiresAt: link.expiresAt?.toISOString() };
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such link.');
}
