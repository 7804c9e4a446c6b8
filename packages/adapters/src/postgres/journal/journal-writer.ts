import type { CountedHit } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { addDropped, type WriteHits } from './hit-writer.ts';
import { writeHits } from './journalled-hits.ts';

/** As `createHitWriter`, with hits that are handed over to an engine outside of this database. */
export function createJournalWriter(database: Database): WriteHits {
  return async (batchId, hits, dropped) => {
    if (hits.length === 0 && dropped.length === 0) return;
    await database.transaction(async (transaction) => {
      const { count } = await transaction.query(beginBatch.with({ batchId }));
      // The batch was written before.
      if (count === 0) return;
      await addJournalHits(transaction, hits);
      await addDropped(transaction, dropped);
    });
  };
}

/** Adds hits as a batch of the journal, within a transaction. */
export async function addJournalHits(transaction: Transaction, hits: readonly CountedHit[]): Promise<void> {
  const websiteIds = [...new Set(hits.map(({ websiteId }) => websiteId))].filter(isId);
  if (websiteIds.length === 0) return;
  const { rows } = await transaction.query(findNumbers.with({ websiteIds }));
  const numberOf = new Map(rows.map(({ id, number }) => [id, number]));
  const known = hits.flatMap((hit) => {
    const website = numberOf.get(hit.websiteId);
    return website === undefined ? [] : { ...hit, website };
  });
  if (known.length === 0) return;
  await transaction.query(
    insertBatch.with({
      count: known.length,
      numbers: [...new Set(known.map(({ website }) => website))],
      hits: writeHits(known),
    }),
  );
}

/** Waits for a concurrent batch with the same id. */
const beginBatch = statement<{ readonly batchId: string }, never>(
  'begin_journal_batch',
  (placeholder) => sql`
    insert into ingest_batch (id, added_at) values (${placeholder('batchId')}, now()) on conflict (id) do nothing`,
);

const findNumbers = statement<
  { readonly websiteIds: readonly string[] },
  { readonly id: string; readonly number: string }
>(
  'find_website_numbers',
  (placeholder) => sql`select id, number from website where id = any(${placeholder('websiteIds')}::uuid[])`,
);

const insertBatch = statement<
  { readonly count: number; readonly numbers: readonly string[]; readonly hits: string },
  never
>(
  'insert_journal_batch',
  (placeholder) => sql`
    insert into journal_batch (hit_count, website_numbers, hits)
    values (${placeholder('count')}, ${placeholder('numbers')}::bigint[], ${placeholder('hits')})`,
);
