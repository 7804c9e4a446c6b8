import { DomainError, isId, unavailable } from '@hitherto/domain/base';
import type { IdempotencyRecord, IdempotencyRepository } from '@hitherto/domain/changes';
import type { Owner, Resource, ResourceChange, UpdatableRepository } from '@hitherto/domain/resources';
import { toAudited, toDeliverable } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { insertRecord } from '../idempotency/idempotency-repository.ts';
import { type ResourceTable, statementsOf, type Values } from './table.ts';

/** How often a write is repeated if the row in its way has disappeared. */
const MAX_TRIES = 5;

/** The dependencies of the repositories of resources. */
export interface OwnedDependencies {
  readonly database: Database;
  readonly idempotency: Pick<IdempotencyRepository, 'find'>;
}

interface OwnedRepository<Own extends Owner, Stored extends Resource> extends UpdatableRepository<Own, Stored> {
  /** @param more values for the columns that the table inserts in addition */
  insert(owner: Own, resource: Stored, change: ResourceChange, more?: Values): Promise<IdempotencyRecord | undefined>;
}

/** Stores the resources of a kind in PostgreSQL. */
export function createOwned<Own extends Owner, Stored extends Resource, Row extends object = Stored>(
  { database, idempotency }: OwnedDependencies,
  table: ResourceTable<Stored, Row>,
): OwnedRepository<Own, Stored> {
  const statements = statementsOf(table);
  const isOwner = ({ accountId, websiteId }: Owner) =>
    isId(accountId) && (table.owner === 'account' || (websiteId !== undefined && isId(websiteId)));
  const keyOf = ({ accountId, websiteId }: Owner): Owner => ({ accountId, websiteId });

  /** The result of `work`, which is repeated if a row that was in its way has disappeared. */
  const write = async <T>(owner: Owner, resource: { readonly id: string }, work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const failure = classify(error);
        if (failure.reason !== 'unique' && failure.reason !== 'foreign_key') throw error;
        if (table.conflict === undefined) throw error;
        const conflict = await table.conflict(failure.constraint, owner, resource);
        if (conflict !== undefined) throw conflict;
      }
    }
    throw contended();
  };

  /** Whether the resource was inserted; it is not if there is an earlier record. */
  const insertOnce = (owner: Own, resource: Stored, change: ResourceChange, more: Values): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const { rows: locked } = isOwner(owner)
        ? await transaction.query(statements.lock.with(keyOf(owner)))
        : { rows: [] };
      const key = locked[0]?.key;
      if (key === undefined) throw new DomainError('not_found', `The ${table.owner} is gone.`);
      if (change.record !== undefined) {
        const about = { accountId: owner.accountId, now: resource.createdAt, ...change.record };
        if ((await transaction.query(insertRecord.with(about))).count === 0) return false;
      }
      const records = { ...toAudited(change), ...toDeliverable(change.event) };
      const values = { ...table.toValues(resource), ...more, ...records, key, limit: table.limit };
      if ((await transaction.query(statements.insert.with(values))).count === 1) return true;
      if (table.rejected === undefined) throw table.tooMany();
      const { rows } = await transaction.query(statements.count.with({ key }));
      throw (rows[0]?.count ?? 0) >= table.limit ? table.tooMany() : table.rejected();
    });

  return {
    async list(owner) {
      const absent = table.owner === 'account' ? [] : undefined;
      if (!isOwner(owner)) return absent;
      const query = statements.list.with(keyOf(owner));
      const rows = table.hasLongLists ? (await database.query(query)).rows : await database.read(query);
      if (rows.length === 0) return absent;
      return rows.flatMap((row) => ('id' in row && row.id === null ? [] : [table.toResource(row as Row)]));
    },

    async find(owner, id) {
      if (!isOwner(owner) || !isId(id)) return undefined;
      const [row] = await database.read(statements.find.with({ ...keyOf(owner), id }));
      return row && table.toResource(row);
    },

    async insert(owner, resource, change, more = {}) {
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        if (await write(owner, resource, () => insertOnce(owner, resource, change, more))) return undefined;
        const { record } = change;
        const earlier = record && (await idempotency.find(owner.accountId, record.keyHash, resource.createdAt));
        if (earlier !== undefined) return earlier;
      }
      throw contended();
    },

    async replace(owner, resource, expected, change) {
      if (!isOwner(owner) || !isId(resource.id)) return false;
      const records = { ...toAudited(change), ...toDeliverable(change.event) };
      const values = { ...table.toValues(resource), ...keyOf(owner), expected, ...records };
      return write(owner, resource, async () => (await database.query(statements.replace.with(values))).count === 1);
    },

    async delete(owner, id, expected, change) {
      if (!isOwner(owner) || !isId(id)) return false;
      const values = { ...keyOf(owner), id, expected: expected ?? null, ...toAudited(change) };
      return write(owner, { id }, async () => (await database.query(statements.delete.with(values))).count === 1);
    },
  };
}

function contended(): DomainError {
  return unavailable('Conflicting requests for this resource; try again.');
}
