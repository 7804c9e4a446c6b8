import { isId, isStorable } from '@hitherto/domain/base';
import type { Change } from '@hitherto/domain/changes';
import { type LinkRepository, MAX_LINKS, type SharedLink, tooManyLinks } from '@hitherto/domain/links';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { toNoted } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import type { Transaction } from '../connection/transaction.ts';
import { lockWebsite } from '../definitions/definition-statements.ts';
import { toWebsite } from '../websites/website-row.ts';
import * as statements from './link-statements.ts';

/** Stores shared links in PostgreSQL. */
export function createLinkRepository(database: Database): LinkRepository {
  return {
    async list(website) {
      if (!isKey(website)) return undefined;
      const rows = await database.read(statements.listLinks.with(website));
      return rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [row]));
    },

    async findByToken(tokenHash) {
      if (!isStorable(tokenHash)) return undefined;
      const [row] = await database.read(statements.findByToken.with({ tokenHash }));
      if (row === undefined) return undefined;
      const link = {
        id: row.link_id,
        name: row.link_name,
        tokenHash: row.link_token_hash,
        segmentId: row.link_segment_id,
        expiresAt: row.link_expires_at,
        passwordHash: row.link_password_hash,
        createdAt: row.link_created_at,
      };
      return { accountId: row.account_id, website: toWebsite(row), link };
    },

    async insert(website, link, change) {
      try {
        return await database.transaction((transaction) => insertLink(transaction, website, link, change));
      } catch (error) {
        const failure = classify(error);
        // The segment was deleted at the same time.
        if (failure.kind === 'foreign_key' && failure.constraint === 'shared_link_segment') return false;
        throw error;
      }
    },

    async delete(website, id, change) {
      if (!isKey(website) || !isId(id)) return false;
      return (await database.query(statements.deleteLink.with({ ...website, id, ...toNoted(change) }))).count === 1;
    },
  };
}

/** Inserts a link in a transaction, as `insert` does, but rejects with the driver's error if its segment is deleted in the meantime. */
async function insertLink(
  transaction: Transaction,
  website: WebsiteKey,
  link: SharedLink,
  change: Change,
): Promise<boolean> {
  const { segmentId } = link;
  if (!isKey(website) || (segmentId !== null && !isId(segmentId))) return false;
  // Links of a website are inserted one after the other, so that none exceeds the limit.
  const { rows } = await transaction.query(lockWebsite.with(website));
  if (rows[0] === undefined) return false;
  const websiteNumber = rows[0].number;
  const query = statements.insertLink.with({ ...link, websiteNumber, limit: MAX_LINKS, ...toNoted(change) });
  if ((await transaction.query(query)).count === 1) return true;
  const { rows: counted } = await transaction.query(statements.countLinks.with({ websiteNumber }));
  if ((counted[0]?.count ?? 0) >= MAX_LINKS) throw tooManyLinks();
  return false;
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}
