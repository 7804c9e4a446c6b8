import {
  type Annotation,
  type AnnotationRepository,
  MAX_ANNOTATIONS,
  tooManyAnnotations,
} from '@hitherto/domain/annotations';
import { DomainError, isId, unavailable } from '@hitherto/domain/base';
import type { Change, IdempotencyRepository } from '@hitherto/domain/changes';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { toNoted } from '../changes.ts';
import type { Database } from '../connection/database.ts';
import type { Transaction } from '../connection/transaction.ts';
import { lockWebsite } from '../definitions/definition-statements.ts';
import { insertRecord } from '../idempotency/idempotency-repository.ts';
import * as statements from './annotation-statements.ts';

/** How often an insert is repeated if the record in its way has disappeared. */
const MAX_TRIES = 5;

/** Stores annotations in PostgreSQL. */
export function createAnnotationRepository(
  database: Database,
  idempotency: Pick<IdempotencyRepository, 'find'>,
): AnnotationRepository {
  return {
    async list(website, days) {
      if (!isKey(website)) return undefined;
      const { from = null, to = null } = days ?? {};
      const rows = await database.read(statements.listAnnotations.with({ ...website, from, to }));
      return rows.length === 0 ? undefined : rows.flatMap((row) => (row.id === null ? [] : [row]));
    },

    async find(website, id) {
      if (!isKey(website) || !isId(id)) return undefined;
      const [row] = await database.read(statements.findAnnotation.with({ ...website, id }));
      return row;
    },

    async insert(website, annotation, change) {
      const { record } = change;
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const isInserted = await database.transaction(async (transaction) => {
          const websiteNumber = await lockNumber(transaction, website);
          if (record !== undefined) {
            const { accountId } = website;
            const query = insertRecord.with({ accountId, now: annotation.createdAt, ...record });
            if ((await transaction.query(query)).count === 0) return false;
          }
          await insertLocked(transaction, websiteNumber, annotation, change);
          return true;
        });
        if (isInserted) return undefined;
        const { accountId } = website;
        const earlier = record && (await idempotency.find(accountId, record.keyHash, annotation.createdAt));
        if (earlier !== undefined) return earlier;
      }
      throw unavailable('Conflicting requests for this annotation; try again.');
    },

    async replace(website, annotation, expected, change) {
      if (!isKey(website) || !isId(annotation.id)) return false;
      const query = statements.replaceAnnotation.with({ ...website, ...annotation, expected, ...toNoted(change) });
      return (await database.query(query)).count === 1;
    },

    async delete(website, id, expected, change) {
      if (!isKey(website) || !isId(id)) return false;
      const query = statements.deleteAnnotation.with({ ...website, id, expected, ...toNoted(change) });
      return (await database.query(query)).count === 1;
    },
  };
}

/** Locks the website, so that its annotations are inserted one after the other, and returns its number. */
async function lockNumber(transaction: Transaction, website: WebsiteKey): Promise<string> {
  const { rows } = isKey(website) ? await transaction.query(lockWebsite.with(website)) : { rows: [] };
  if (rows[0] === undefined) throw new DomainError('not_found', 'The website is gone.');
  return rows[0].number;
}

async function insertLocked(
  transaction: Transaction,
  websiteNumber: string,
  annotation: Annotation,
  change: Change,
): Promise<void> {
  const limit = MAX_ANNOTATIONS;
  const query = statements.insertAnnotation.with({ ...annotation, websiteNumber, limit, ...toNoted(change) });
  if ((await transaction.query(query)).count === 0) throw tooManyAnnotations();
}

function isKey({ accountId, websiteId }: WebsiteKey): boolean {
  return isId(accountId) && isId(websiteId);
}
