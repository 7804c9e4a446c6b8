import type { CountedHit } from '@hitherto/domain';
import { sql } from 'kysely';
import { statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { writeHits } from './journalled-hits.ts';

/** Adds hits, with the numbers of their websites, as a batch of the journal, within a transaction. */
export async function addJournalBatch(
  transaction: Transaction,
  hits: readonly (CountedHit & { readonly website: string })[],
): Promise<void> {
  await transaction.query(
    insertBatch.with({
      count: hits.length,
      numbers: [...new Set(hits.map(({ website }) => website))],
      hits: writeHits(hits),
    }),
  );
}

const insertBatch = statement<
  { readonly count: number; readonly numbers: readonly string[]; readonly hits: string },
  never
>(
  'insert_journal_batch',
  (placeholder) => sql`
    insert into journal_batch (hit_count, website_numbers, hits)
    values (${placeholder('count')}, ${placeholder('numbers')}::bigint[], ${placeholder('hits')})`,
);
