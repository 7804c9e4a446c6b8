import type { Authored } from '../changes/entry.ts';
import type { Making, ResourceType } from '../resources/resource-type.ts';
import { createResource } from '../resources/use-cases.ts';
import type { PasswordHasher } from '../websites/password-hasher.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import { hashToken, makeToken, type NewLink, type SharedLink } from './link.ts';
import type { LinkRepository } from './link-repository.ts';

interface StoredLinks {
  readonly links: LinkRepository;
}

interface MakingLinks extends StoredLinks {
  readonly passwords: Pick<PasswordHasher, 'hash'>;
}

/** The dependencies of the use cases of links. */
export interface LinkDependencies extends StoredLinks, Making {
  readonly passwords: PasswordHasher;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export const LINK = {
  kind: 'link',
  absence: 'There is no such website, or no such link.',
  deleted: 'revoked',
  repository: ({ links }) => links,

  async make({ passwords, now, newId }, { name, segmentId, expiresAt, password, token }) {
    const tokenHash = hashToken(token);
    if (tokenHash === undefined) throw new Error('A token must have 32 bytes.');
    const passwordHash = password === null ? null : await passwords.hash(password);
    return { id: newId(), name, tokenHash, segmentId, expiresAt, passwordHash, createdAt: now() };
  },

  nameOf: ({ name }) => name,
  fieldsOf: ({ name, segmentId, expiresAt }) => ({ name, segment: segmentId, expiresAt: expiresAt?.toISOString() }),
  secretsOf: ({ passwordHash }) => ({ password: passwordHash }),
} satisfies ResourceType<WebsiteKey, SharedLink, NewLink & { readonly token: string }, StoredLinks, MakingLinks>;

/** Creates a link. The result has its token, which is stored nowhere. Throws `InvalidFields` `unknown_segment` as well. */
export async function createLink(
  deps: LinkDependencies & Authored,
  website: WebsiteKey,
  input: NewLink,
): Promise<{ readonly link: SharedLink; readonly token: string }> {
  const token = makeToken(deps.randomBytes);
  return { link: await createResource(deps, LINK, website, { ...input, token }), token };
}
