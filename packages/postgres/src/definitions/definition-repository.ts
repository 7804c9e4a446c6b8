import { DomainError, isId, NameTaken, SegmentInUse, unavailable } from '@hitherto/domain/base';
import type { Change, IdempotencyRepository } from '@hitherto/domain/changes';
import {
  DEFINITION_LIMITS,
  type Definition,
  type DefinitionKind,
  type DefinitionRepository,
  tooManyDefinitions,
} from '@hitherto/domain/definitions';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { toNoted } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import type { Query } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { insertRecord } from '../idempotency/idempotency-repository.ts';
import { findNameBySegment } from '../sharing/link-statements.ts';
import * as statements from './definition-statements.ts';

/** How often a write is repeated if the definition or record in its way has disappeared. */
const MAX_TRIES = 5;

/** Stores definitions in PostgreSQL. */
export function createDefinitionRepository(
  database: Database,
  idempotency: Pick<IdempotencyRepository, 'find'>,
): DefinitionRepository {
  /** The result of `work`; `undefined` if the name was taken by a definition that has been deleted since. */
  const write = async <T>(kind: DefinitionKind, website: WebsiteKey, name: string, work: () => Promise<T>) => {
    try {
      return await work();
    } catch (error) {
      const failure = classify(error);
      if (failure.kind !== 'unique' || failure.constraint !== 'definition_name_taken') throw error;
      const { rows } = await database.query(statements.findIdByName.with({ kind, name, ...website }));
      if (rows[0] !== undefined) throw new NameTaken(rows[0].id);
      return undefined;
    }
  };

  /** Whether the definition was inserted; not if there is an earlier record. */
  const insertOnce = (
    kind: DefinitionKind,
    website: WebsiteKey,
    definition: Definition,
    change: Change,
  ): Promise<boolean> =>
    database.transaction(async (transaction) => {
      const websiteNumber = await lockWebsite(transaction, website);
      const { record } = change;
      if (record !== undefined) {
        const { accountId } = website;
        const now = definition.createdAt;
        const { count } = await transaction.query(insertRecord.with({ accountId, now, ...record }));
        if (count === 0) return false;
      }
      await insertLocked(transaction, websiteNumber, kind, definition, change);
      return true;
    });

  return {
    async list<Kind extends DefinitionKind>(kind: Kind, website: WebsiteKey) {
      if (!isKey(website)) return undefined;
      const query: Query = statements.listDefinitions.with({ kind, ...website });
      // A website may have many megabytes of segments, which would hold up short reads.
      const { rows } = await database.query<Definition<Kind> | { readonly id: null }>(query);
      return rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [row]));
    },

    async size(kind, website) {
      if (!isKey(website)) return 0;
      const { rows } = await database.query(statements.sumSizes.with({ kind, ...website }));
      return rows[0]?.bytes ?? 0;
    },

    async find<Kind extends DefinitionKind>(kind: Kind, website: WebsiteKey, ids: readonly string[]) {
      const known = ids.filter(isId);
      if (known.length === 0 || !isKey(website)) return [];
      const query: Query = statements.findDefinitions.with({ kind, ids: known, ...website });
      return database.read<Definition<Kind>>(query);
    },

    async insert(kind, website, definition, change) {
      if (!isKey(website)) throw websiteGone();
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const isInserted = await write(kind, website, definition.name, () =>
          insertOnce(kind, website, definition, change),
        );
        if (isInserted) return undefined;
        const { accountId } = website;
        const { record } = change;
        const earlier = record && (await idempotency.find(accountId, record.keyHash, definition.createdAt));
        if (earlier !== undefined) return earlier;
      }
      throw contended();
    },

    async replace(kind, website, definition, expected, change) {
      const { id, name } = definition;
      if (!isKey(website) || !isId(id)) return false;
      const query = statements.replaceDefinition.with({
        kind,
        ...website,
        id,
        expected,
        ...statements.toWritten(definition),
        ...toNoted(change),
      });
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const result = await write(kind, website, name, () => database.query(query));
        if (result !== undefined) return result.count === 1;
      }
      throw contended();
    },

    async delete(kind, website, id, expected, change) {
      if (!isKey(website) || !isId(id)) return false;
      const about = { kind, ...website, id, expected: expected ?? null };
      const query = statements.deleteDefinition.with({ ...about, ...toNoted(change) });
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        try {
          return (await database.query(query)).count === 1;
        } catch (error) {
          const failure = classify(error);
          if (failure.kind !== 'foreign_key' || failure.constraint !== 'shared_link_segment') throw error;
          const { rows } = await database.query(findNameBySegment.with({ segmentId: id }));
          if (rows[0] !== undefined) throw new SegmentInUse(rows[0].name);
        }
      }
      throw contended();
    },
  };
}

/** Locks the website, so that its definitions are inserted one after the other, and returns its number. */
async function lockWebsite(transaction: Transaction, website: WebsiteKey): Promise<string> {
  const { rows } = await transaction.query(statements.lockWebsite.with(website));
  if (rows[0] === undefined) throw websiteGone();
  return rows[0].number;
}

async function insertLocked(
  transaction: Transaction,
  websiteNumber: string,
  kind: DefinitionKind,
  definition: Definition,
  change: Change,
): Promise<void> {
  const { id, createdAt } = definition;
  const limit = DEFINITION_LIMITS[kind];
  const written = statements.toWritten(definition);
  const about = { websiteNumber, kind, id, createdAt, limit };
  const query = statements.insertDefinition.with({ ...about, ...written, ...toNoted(change) });
  if ((await transaction.query(query)).count === 0) throw tooManyDefinitions(kind);
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}

function websiteGone(): DomainError {
  return new DomainError('not_found', 'The website is gone.');
}

function contended(): DomainError {
  return unavailable('Conflicting requests for this definition; try again.');
}
