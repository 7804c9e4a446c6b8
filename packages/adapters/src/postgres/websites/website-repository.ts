import {
  addressOf,
  DomainError,
  type StoreRecord,
  UrlTaken,
  unavailable,
  type Website,
  type WebsiteRepository,
} from '@hitherto/domain';
import { isId, isStorable } from '../../texts.ts';
import type { Database, QueryResult } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { createGathering } from './website-gathering.ts';
import { createListWebsites } from './website-list.ts';
import { toRow, toWebsite } from './website-row.ts';
import * as statements from './website-statements.ts';

/** An insert that meets a website or record that is gone when it is looked at is tried again, this often at most. */
const MAX_TRIES = 5;
/** How many expired records one statement drops: with the largest websites in them still far from a statement's time. */
const CLEANED_AT_ONCE = 1_000;

/** Keeps websites in PostgreSQL. */
export function createWebsiteRepository(database: Database): WebsiteRepository {
  const findStoreRecord: WebsiteRepository['findStoreRecord'] = async (accountId, keyHash, now) => {
    if (!isId(accountId) || !isStorable(keyHash)) return undefined;
    const [row] = await database.read(statements.findStoreRecord.with({ accountId, keyHash, now }));
    return (
      row && {
        keyHash: row.key_hash,
        fingerprint: row.fingerprint,
        sealedWebsite: row.sealed_website,
        expiresAt: row.expires_at,
      }
    );
  };

  /** Runs a write; where the address is taken, throws `UrlTaken`, or answers `undefined` if its holder has gone since. */
  const write = async <Row>(
    accountId: string,
    url: string,
    query: Parameters<typeof database.query<Row>>[0],
  ): Promise<QueryResult<Row> | undefined> => {
    try {
      return await database.query<Row>(query);
    } catch (error) {
      const failure = classify(error);
      if (failure.kind === 'foreign_key') throw new DomainError('not_found', 'The account is gone.', { cause: error });
      if (failure.kind !== 'unique' || failure.constraint !== 'website_address_taken') throw error;
      const { rows } = await database.query(statements.findIdByAddress.with({ accountId, address: addressOf(url) }));
      if (rows[0] !== undefined) throw new UrlTaken(rows[0].id);
      return undefined;
    }
  };

  const insertAlone = async (website: Website, row: ReturnType<typeof toRow>, record?: StoreRecord) => {
    const accountId = row.account_id;
    const query =
      record === undefined
        ? statements.insertWebsite.with(row)
        : statements.insertWebsiteOnce.with({ ...row, ...record });
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const answer = await write(accountId, website.url, query);
      if (answer?.count === 1) return undefined;
      const earlier = record && (await findStoreRecord(accountId, record.keyHash, website.createdAt));
      if (earlier !== undefined) return earlier;
    }
    throw unavailable('Others store and remove the same website at the same time.');
  };

  const gather = createGathering(database);

  return {
    async find(accountId, id) {
      if (!isId(accountId) || !isId(id)) return undefined;
      const [row] = await database.read(statements.findWebsite.with({ accountId, id }));
      return row && toWebsite(row);
    },

    list: createListWebsites(database),

    async insert(accountId, website, record) {
      if (!isId(accountId)) throw new DomainError('not_found', 'The account is gone.');
      const row = toRow(accountId, website);
      if (record !== undefined) return insertAlone(website, row, record);
      await gather(row, async () => void (await insertAlone(website, row)));
      return undefined;
    },

    findStoreRecord,

    async deleteExpiredStoreRecords(now) {
      const step = statements.deleteExpiredStoreRecords.with({ now, limit: CLEANED_AT_ONCE });
      let dropped = 0;
      for (;;) {
        const { count } = await database.query(step);
        dropped += count;
        if (count < CLEANED_AT_ONCE) return dropped;
      }
    },

    async replace(accountId, website, expected) {
      if (!isId(accountId) || !isId(website.id)) return false;
      const query = statements.replaceWebsite.with({ ...toRow(accountId, website), expected });
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const answer = await write(accountId, website.url, query);
        if (answer !== undefined) return answer.count === 1;
      }
      throw unavailable('Others store and remove the same website at the same time.');
    },

    async delete(accountId, id, expected) {
      if (!isId(accountId) || !isId(id)) return false;
      const query =
        expected === undefined
          ? statements.deleteWebsite.with({ accountId, id })
          : statements.deleteVersion.with({ accountId, id, expected });
      return (await database.query(query)).count === 1;
    },
  };
}
