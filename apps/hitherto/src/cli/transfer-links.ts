import { type LinkItem, parseNewLink } from '@hitherto/domain';
import type { Static } from '@sinclair/typebox';
import type { LinkLine } from './transfer-schema.ts';

// Shared links in the lines of an export. They keep their addresses, because the hash of the token is among the fields.

export function toLinkLine({ accountId, websiteId, link }: LinkItem): Static<typeof LinkLine> {
  return {
    type: 'link',
    account_id: accountId,
    website_id: websiteId,
    id: link.id,
    token_hash: link.tokenHash,
    name: link.name,
    segment: link.segmentId,
    expires_at: link.expiresAt?.toISOString() ?? null,
    password_hash: link.passwordHash,
    created_at: link.createdAt.toISOString(),
  };
}

/** Throws `InvalidFields` if the API would have rejected the link when it was made. */
export function toLinkItem(line: Static<typeof LinkLine>): LinkItem {
  const { account_id: accountId, website_id: websiteId, id, token_hash: tokenHash, password_hash: passwordHash } = line;
  const createdAt = new Date(line.created_at);
  const { name, segmentId, expiresAt } = parseNewLink({ ...line, password: null }, createdAt);
  return {
    type: 'link',
    accountId,
    websiteId,
    link: { id, tokenHash, name, segmentId, expiresAt, passwordHash, createdAt },
  };
}
