import { groupBy, isId } from '@hitherto/domain/base';
import type { CountedHit, DroppedHits } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { v7 as newId } from 'uuid';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { once, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { IS_OUTSIDE } from './engine-choice.ts';
import { writeHits } from './journalled-hits.ts';

/**
 * Writes hits to the journal, and adds to the counters of dropped hits, in one transaction; without any of these, with one statement. A
 * batch whose id was written before is skipped, so one with an unknown outcome can be written again. Leaves out hits of deleted
 * websites.
 */
export type WriteHits = (
  batchId: string,
  hits: readonly CountedHit[],
  dropped: readonly DroppedHits[],
) => Promise<void>;

export function createHitWriter(database: Database): WriteHits {
  return async (batchId, sent, dropped) => {
    const hits = sent.filter(({ websiteId }) => isId(websiteId));
    if (hits.length === 0 && dropped.length === 0) return;
    const batch = storeBatch.with(batchOf(batchId, hits));
    try {
      if (dropped.length === 0) return void (await database.query(batch));
      await database.transaction(async (transaction) => {
        await transaction.query(batch);
        await addDropped(transaction, dropped);
      });
    } catch (error) {
      // The batch was written before. `on conflict` would write a third to the log for each id, for the few that come again.
      const failure = classify(error);
      if (failure.reason !== 'unique' || failure.constraint !== 'journal_batch_pkey') throw error;
    }
  };
}

/** How many hits a batch has at most: some readers have whole batches in memory. */
const MAX_HITS = 2_000;

/** Adds hits within a transaction, under ids of their own. */
export async function addHits(transaction: Transaction, sent: readonly CountedHit[]): Promise<void> {
  const hits = sent.filter(({ websiteId }) => isId(websiteId));
  for (let start = 0; start < hits.length; start += MAX_HITS) {
    await transaction.query(storeBatch.with(batchOf(newId(), hits.slice(start, start + MAX_HITS))));
  }
}

/** A batch of the journal. Lists are texts of arrays, which the driver would make value by value. */
interface Batch {
  readonly id: string;
  readonly count: number;
  /** Hits name their website by its place in it. */
  readonly websiteIds: string;
  readonly hits: string;
  /** The days: the place of the website, counted from 1, and the number of hits. */
  readonly places: string;
  readonly days: string;
  readonly hitsOfDays: string;
}

/** The batch of hits, whose website ids are well-formed. */
function batchOf(id: string, hits: readonly CountedHit[]): Batch {
  const websiteIds = [...new Set(hits.map(({ websiteId }) => websiteId))];
  const days = [...groupBy(hits, ({ websiteId, day }) => `${websiteId} ${day}`).values()];
  const listOf = (items: readonly (string | number)[]) => `{${items.join()}}`;
  return {
    id,
    count: hits.length,
    websiteIds: listOf(websiteIds),
    hits: writeHits(hits, websiteIds),
    places: listOf(days.map(([hit]) => websiteIds.indexOf(hit?.websiteId ?? '') + 1)),
    days: listOf(days.map(([hit]) => hit?.day ?? '')),
    hitsOfDays: listOf(days.map(({ length }) => length)),
  };
}

/**
 * Stores a batch, and notes how many hits its days get, unless an engine outside counts them. Waits for a concurrent batch with the same
 * id; fails if the batch was stored before. A deleted website has no number, and its hits are never read. A statement that waits
 * for the end of a move holds no lock yet, because `added_hits` is locked first; the move truncates the journal.
 */
const storeBatch = statement<Batch, never>(
  'store_hit_batch',
  (placeholder) => sql`
    with locked_first as (
      insert into added_hits (batch_id, website_number, day, hits)
      select null::uuid, null::bigint, null::date, null::integer where false
    ), batch as (
      insert into journal_batch (id, hit_count, is_waiting, website_numbers, hits)
      select ${placeholder('id')}::uuid, ${placeholder('count')}::integer, case when ${IS_OUTSIDE} then true end, array(
        select website.number from unnest(${placeholder('websiteIds')}::uuid[]) with ordinality sent (id, place)
        left join website on website.id = sent.id order by sent.place
      ), ${placeholder('hits')}::text
      returning id, is_waiting, website_numbers
    )
    insert into added_hits (batch_id, website_number, day, hits)
    select batch.id, website_numbers[added.place], added.day, added.hits
    from batch cross join unnest(
      ${placeholder('places')}::integer[], ${placeholder('days')}::date[], ${placeholder('hitsOfDays')}::integer[]
    ) added (place, day, hits)
    where is_waiting is null and website_numbers[added.place] is not null`,
);

/** Records the id of a batch without hits, which it returns unless it was recorded before. */
export function recordedId(id: string): RawBuilder<unknown> {
  return sql`
    insert into journal_batch (id, hit_count, website_numbers, hits) values (${id}::uuid, 0, '{}', '')
    on conflict (id) do nothing returning id`;
}

/**
 * No id of a batch that an instance may send again comes before this one: its first 48 bits are the milliseconds of an hour ago,
 * which is longer than an instance sends a batch, and more than clocks differ.
 */
export const FIRST_ID = sql`(
  lpad(to_hex((extract(epoch from now() - interval '1 hour') * 1000)::bigint), 12, '0') || repeat('0', 20)
)::uuid`;

/** Adds to the counters of dropped hits. Rows are written in a fixed order, so that two statements never deadlock. */
export async function addDropped(transaction: Transaction, dropped: readonly DroppedHits[]): Promise<void> {
  const known = dropped.filter(({ websiteId }) => isId(websiteId));
  if (known.length === 0) return;
  await transaction.query(
    once(sql`
    insert into dropped_hit (website_number, day, reason, hits)
    select website.number, added.day, added.reason, sum(added.hits)
    from unnest(
      ${known.map(({ websiteId }) => websiteId)}::uuid[],
      ${known.map(({ day }) => day)}::date[],
      ${known.map(({ reason }) => reason)}::text[],
      ${known.map(({ hits }) => hits)}::bigint[]
    ) added (website_id, day, reason, hits) join website on website.id = added.website_id
    group by website.number, added.day, added.reason
    order by website.number, added.day, added.reason
    on conflict (website_number, day, reason) do update set hits = dropped_hit.hits + excluded.hits`),
  );
}
