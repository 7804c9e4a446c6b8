import type { CountedHit, DroppedHits, HitRepository } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../ids.ts';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { COPY_HITS, hitRow, toSigned } from './hit-rows.ts';

/** Keeps hits in PostgreSQL, a batch in one transaction and one COPY. */
export function createHitRepository(database: Database): HitRepository {
  return {
    async add(batchId, hits, dropped = []) {
      if (hits.length === 0 && dropped.length === 0) return;
      await database.transaction(async (transaction) => {
        const numbers = await beginBatch(transaction, batchId, hits);
        if (numbers === undefined) return;
        await copyHits(transaction, hits, numbers);
        await addDropped(transaction, dropped);
      });
    },
  };
}

/** Adds hits with one COPY. `numbers` are the numbers of their websites; hits of other websites are left out. */
export async function copyHits(
  transaction: Transaction,
  hits: readonly CountedHit[],
  numbers: ReadonlyMap<string, string>,
): Promise<void> {
  const known = hits.flatMap((hit) => {
    const websiteNumber = numbers.get(hit.websiteId);
    return websiteNumber === undefined ? [] : [{ hit, websiteNumber }];
  });
  if (known.length === 0) return;
  await transaction.copy(COPY_HITS, [known.map(({ hit, websiteNumber }) => hitRow(hit, websiteNumber)).join('')]);
  await markChanged(transaction, known);
}

/** The numbers of the hits' websites. */
export async function numbersOf(
  transaction: Transaction,
  hits: readonly CountedHit[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await transaction.query(
    once(sql<{ id: string; number: string }>`select id, number from website where id = any(${idsOf(hits)}::uuid[])`),
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

function idsOf(hits: readonly CountedHit[]): string[] {
  return [...new Set(hits.map(({ websiteId }) => websiteId))].filter(isId);
}

interface KnownHit {
  readonly hit: CountedHit;
  readonly websiteNumber: string;
}

/**
 * Records the batch and returns the numbers of its websites, or `undefined` if the batch was added before. Waits for a
 * concurrent batch with the same id.
 */
async function beginBatch(
  transaction: Transaction,
  batchId: string,
  hits: readonly CountedHit[],
): Promise<Map<string, string> | undefined> {
  const { rows } = await transaction.query(
    once(sql<{ id: string | null; number: string | null }>`
      with batch as (
        insert into ingest_batch (id, added_at) values (${batchId}, now()) on conflict (id) do nothing returning id
      )
      select website.id, website.number from batch left join website on website.id = any(${idsOf(hits)}::uuid[])`),
  );
  if (rows.length === 0) return undefined;
  return new Map(rows.flatMap(({ id, number }) => (id === null || number === null ? [] : [[id, number]])));
}

/** Marks the visitors of the hits, each once, so that their visits are recomputed. */
async function markChanged(transaction: Transaction, known: readonly KnownHit[]): Promise<void> {
  const visitors = new Map(
    known.map((entry) => [`${entry.websiteNumber} ${entry.hit.day} ${entry.hit.visitor}`, entry]),
  );
  const changed = [...visitors.values()];
  await transaction.query(
    once(sql`
      insert into changed_visitor (website_number, day, visitor)
      select * from unnest(
        ${changed.map(({ websiteNumber }) => websiteNumber)}::bigint[],
        ${changed.map(({ hit }) => hit.day)}::date[],
        ${changed.map(({ hit }) => toSigned(hit.visitor))}::bigint[])`),
  );
}

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
