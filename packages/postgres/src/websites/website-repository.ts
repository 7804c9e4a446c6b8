import { AliasTaken, DomainError, isId, UrlTaken, unavailable } from '@hitherto/domain/base';
import type { IdempotencyRecord, IdempotencyRepository } from '@hitherto/domain/changes';
import { addressOf, reaches, type Website, type WebsiteRepository } from '@hitherto/domain/websites';
import { toAudited, toDeliverable } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import type { Query } from '../connection/statement.ts';
import { createListWebsites } from './website-list.ts';
import { toRows, toWebsite } from './website-row.ts';
import * as statements from './website-statements.ts';

/** How often a write is repeated if the website or record in its way has disappeared. */
const MAX_TRIES = 5;

/** Stores websites in PostgreSQL. */
export function createWebsiteRepository(
  database: Database,
  idempotency: Pick<IdempotencyRepository, 'find'>,
): WebsiteRepository {
  /** The number of written rows; `undefined` if another website had the address or an alias, and has it no longer. */
  const write = async (accountId: string, website: Website, query: Query): Promise<number | undefined> => {
    try {
      return (await database.query(query)).count;
    } catch (error) {
      const failure = classify(error);
      if (failure.reason === 'foreign_key')
        throw new DomainError('not_found', 'The account is gone.', { cause: error });
      const constraint = failure.reason === 'unique' ? failure.constraint : undefined;
      if (constraint === 'website_address_taken') {
        const address = addressOf(website.url);
        const { rows } = await database.query(statements.findIdByAddress.with({ accountId, address }));
        if (rows[0] !== undefined) throw new UrlTaken(rows[0].id);
      } else if (constraint === 'website_alias_taken') {
        const { id, aliases } = website;
        const { rows } = await database.query(statements.findTakenAlias.with({ id, aliases }));
        if (rows[0] !== undefined) throw new AliasTaken(rows[0].number);
      } else throw error;
      return undefined;
    }
  };

  return {
    async find(reach, id) {
      const { accountId } = reach;
      if (!isId(accountId) || !isId(id) || !reaches(reach, id)) return undefined;
      const [row] = await database.read(statements.findWebsite.with({ accountId, id }));
      return row && toWebsite(row);
    },

    list: createListWebsites(database),

    async names({ accountId, websiteIds }, limit) {
      if (!isId(accountId)) return [];
      const ids = websiteIds?.filter(isId) ?? null;
      const rows = await database.read(statements.selectNames.with({ accountId, ids, limit }));
      return rows.map(({ scheme, address, ...name }) => ({ ...name, url: `${scheme}://${address}` }));
    },

    async insert(accountId, website, change) {
      if (!isId(accountId)) throw new DomainError('not_found', 'The account is gone.');
      const { record } = change;
      const query = insertOf(accountId, website, record, { ...toAudited(change), ...toDeliverable(change.event) });
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        if ((await write(accountId, website, query)) === 1) return undefined;
        const earlier = record && (await idempotency.find(accountId, record.keyHash, website.createdAt));
        if (earlier !== undefined) return earlier;
      }
      throw contended();
    },

    async replace(accountId, website, expected, change) {
      const { id } = website;
      if (!isId(accountId) || !isId(id)) return false;
      const rows = toRows([{ accountId, website }]);
      const deliverable = { ...toAudited(change), ...toDeliverable(change.event) };
      const query = statements.replaceWebsite.with({ rows, accountId, id, expected, ...deliverable });
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const count = await write(accountId, website, query);
        if (count !== undefined) return count === 1;
      }
      throw contended();
    },

    async move(from, id, to, { left, arrived }) {
      if (!isId(from) || !isId(id) || !isId(to)) return false;
      const records = { ...toAudited(left, arrived), ...toDeliverable(left.event, arrived.event) };
      try {
        return await database.transaction(async (transaction) => {
          const { count } = await transaction.query(
            statements.moveWebsite.with({ accountId: from, id, to, ...records }),
          );
          if (count === 0) return false;
          for (const forget of statements.forgetWebsite) await transaction.query(forget.with({ accountId: from, id }));
          return true;
        });
      } catch (error) {
        const failure = classify(error);
        if (failure.reason === 'foreign_key') {
          throw new DomainError('not_found', 'The account is gone.', { cause: error });
        }
        if (failure.reason !== 'unique' || failure.constraint !== 'website_address_taken') throw error;
        const { rows } = await database.query(statements.findIdOfSameAddress.with({ accountId: to, id }));
        throw new UrlTaken(rows[0]?.id);
      }
    },

    async delete(accountId, id, expected, change) {
      if (!isId(accountId) || !isId(id)) return false;
      const query = { accountId, id, expected: expected ?? null, ...toAudited(change), ...toDeliverable(change.event) };
      return (await database.query(statements.deleteWebsite.with(query))).count === 1;
    },
  };
}

function insertOf(
  accountId: string,
  website: Website,
  record: IdempotencyRecord | undefined,
  deliverable: ReturnType<typeof toAudited> & ReturnType<typeof toDeliverable>,
): Query {
  const rows = toRows([{ accountId, website }]);
  return record === undefined
    ? statements.insertWebsites.with({ rows, ...deliverable })
    : statements.insertWebsiteOnce.with({ rows, ...record, ...deliverable });
}

function contended(): DomainError {
  return unavailable('Conflicting requests for this website; try again.');
}
