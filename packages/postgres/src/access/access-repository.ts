import { type AccessRepository, MAX_KEYS_OF_PERSON, tooManyKeys } from '@hitherto/domain/access';
import { DomainError, isId, isStorable } from '@hitherto/domain/base';
import { toAudited } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import * as statements from './access-statements.ts';

/** Stores accounts and keys in PostgreSQL. Long statements run on `background`. */
export function createAccessRepository(database: Database, background: Database): AccessRepository {
  return {
    async insertAccount(account, change) {
      try {
        await database.query(statements.insertAccount(account, toAudited(change).audited));
      } catch (error) {
        throw accessError(error);
      }
    },

    async listAccounts() {
      return (await database.query(statements.listAccounts())).rows.map(statements.toAccount);
    },

    async findAccount(nameOrId) {
      if (isId(nameOrId)) {
        const { rows } = await database.query(statements.findAccountById.with({ id: nameOrId }));
        if (rows[0] !== undefined) return statements.toAccount(rows[0]);
      }
      if (!isStorable(nameOrId)) return undefined;
      const { rows } = await database.query(statements.findAccountByName.with({ name: nameOrId }));
      return rows[0] && statements.toAccount(rows[0]);
    },

    async updateAccount(id, changes, change) {
      if (!isId(id)) return false;
      try {
        return (await database.query(statements.updateAccount(id, changes, toAudited(change).audited))).count === 1;
      } catch (error) {
        throw accessError(error);
      }
    },

    async findLogo(name) {
      if (!isStorable(name)) return undefined;
      const [row] = await database.read(statements.findLogo.with({ name }));
      return row?.logo ?? undefined;
    },

    async deleteAccount(id) {
      if (!isId(id)) return false;
      // This deletes all that the account owns, perhaps millions of rows.
      return (await background.query(statements.deleteAccount.with({ id }))).count === 1;
    },

    async insertKey(key, change) {
      const { member, createdAt: now } = key;
      const query = statements.insertKey(key, toAudited(change).audited);
      try {
        if (member === null) {
          await database.query(query);
          return;
        }
        const { personId } = member;
        await database.transaction(async (transaction) => {
          await transaction.query(statements.lockPerson.with({ personId }));
          const { rows } = await transaction.query(statements.countKeysOfPerson.with({ personId, now }));
          if ((rows[0]?.count ?? 0) >= MAX_KEYS_OF_PERSON) throw tooManyKeys();
          await transaction.query(query);
        });
      } catch (error) {
        throw accessError(error);
      }
    },

    async listKeys(accountId) {
      if (!isId(accountId)) return [];
      return (await database.query(statements.listKeys.with({ accountId }))).rows.map(statements.toKey);
    },

    async listKeysOfPerson(personId) {
      if (!isId(personId)) return [];
      return (await database.query(statements.listKeysOfPerson.with({ personId }))).rows.map(statements.toKey);
    },

    async findKey(id) {
      if (!isId(id)) return undefined;
      const { rows } = await database.query(statements.findKey.with({ id }));
      return rows[0] && statements.toKey(rows[0]);
    },

    async findKeyByHash(hash) {
      if (!isStorable(hash)) return undefined;
      const [row] = await database.read(statements.findKeyByHash.with({ hash }));
      return row && statements.toKey(row);
    },

    async revokeKey(id, now, change) {
      const query = statements.revokeKey.with({ id, now, ...toAudited(change) });
      return isId(id) && (await database.query(query)).count === 1;
    },

    async recordKeyUse(uses) {
      const ids = [...uses.keys()].filter(isId);
      const times = ids.flatMap((id) => uses.get(id) ?? []);
      if (ids.length > 0) await database.query(statements.recordKeyUse.with({ ids, times }));
    },
  };
}

/** The error that the port reports for a failed insert of an account or a key. */
function accessError(error: unknown): unknown {
  const failure = classify(error);
  if (failure.reason === 'unique' && failure.constraint === 'account_name_key') {
    return new DomainError('name_taken', 'There is already an account with this name.', { cause: error });
  }
  if (failure.reason === 'foreign_key') {
    return new DomainError('not_found', 'The account or the member is gone.', { cause: error });
  }
  return error;
}
