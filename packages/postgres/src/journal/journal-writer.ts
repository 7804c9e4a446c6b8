import type { CountedHit } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import { type Placeholders, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { IS_OUTSIDE } from './engine-choice.ts';
import { toArray } from './hit-rows.ts';
import { writeHits } from './journalled-hits.ts';

/** A batch of the journal. */
interface JournalBatch {
  readonly count: number;
  /** The text of an array: hits name their website by its place in it. */
  readonly websiteIds: string;
  readonly hits: string;
}

/** Adds hits as a batch of the journal, within a transaction. */
export async function addJournalBatch(transaction: Transaction, hits: readonly CountedHit[]): Promise<void> {
  await transaction.query(insertBatch.with(journalBatchOf(hits)));
}

/** The batch of hits, whose website ids are well-formed. */
export function journalBatchOf(hits: readonly CountedHit[]): JournalBatch {
  const websiteIds = [...new Set(hits.map(({ websiteId }) => websiteId))];
  return { count: hits.length, websiteIds: toArray(websiteIds), hits: writeHits(hits, websiteIds) };
}

const insertBatch = statement<JournalBatch, never>(
  'insert_journal_batch',
  (placeholder) => sql`
    insert into journal_batch (hit_count, website_numbers, hits) select ${columnsOfBatch(placeholder)}`,
);

/**
 * Stores hits as a batch of the journal, unless the engine in this database has the statistics. Waits for a concurrent batch with
 * the same id; fails if the batch was stored before.
 */
export const storeJournalBatch = statement<
  JournalBatch & { readonly batchId: string },
  { readonly isOutside: boolean }
>(
  'store_journal_batch',
  (placeholder) => sql`
    with batch as (
      insert into ingest_batch select ${placeholder('batchId')}::uuid where ${IS_OUTSIDE} returning id
    ),
    stored as (
      insert into journal_batch (hit_count, website_numbers, hits) select ${columnsOfBatch(placeholder)} from batch
    )
    select ${IS_OUTSIDE} as "isOutside"`,
);

/** A deleted website has no number, and its hits are never handed over. */
function columnsOfBatch(placeholder: Placeholders<JournalBatch>) {
  return sql`
    ${placeholder('count')}::integer,
    array(
      select website.number from unnest(${placeholder('websiteIds')}::uuid[]) with ordinality sent (id, place)
      left join website on website.id = sent.id order by sent.place
    ),
    ${placeholder('hits')}::text`;
}
