import { groupBy, isId } from '@hitherto/domain/base';
import type { CountedHit, DroppedHits } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { classify } from '../connection/errors.ts';
import { columnsOf, once, type Placeholders, statement } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { IS_OUTSIDE } from './engine-choice.ts';
import { COPY_HITS, HIT_COLUMNS, hitRow, toArray } from './hit-rows.ts';
import { addJournalBatch, journalBatchOf, storeJournalBatch } from './journal-writer.ts';

/**
 * Writes hits, and adds to the counters of dropped hits, in one transaction: with one statement if nothing was dropped and the
 * batch is of a usual size, else with one COPY, or as one batch of the journal, if an engine outside has the statistics. A batch
 * whose id was written before is skipped, so one with an unknown outcome can be written again. Leaves out hits of deleted
 * websites.
 */
export type WriteHits = (
  batchId: string,
  hits: readonly CountedHit[],
  dropped: readonly DroppedHits[],
) => Promise<void>;

/** As many as the committer gathers. A larger batch takes a COPY, which the database need not hold in memory. */
const MOST_IN_A_STATEMENT = 2_000;

export function createHitWriter(database: Database): WriteHits {
  /** Whether an engine outside had the statistics when that was last asked. A statement stores hits for one of the engines. */
  let isOutside = false;

  const storeInAStatement = async (batchId: string, hits: readonly CountedHit[]): Promise<void> => {
    for (;;) {
      const forOutside = isOutside;
      const { rows } = await database.query(
        forOutside
          ? storeJournalBatch.with({ batchId, ...journalBatchOf(hits) })
          : storeBatch.with(columnsOfBatch(batchId, hits)),
      );
      isOutside = rows[0]?.isOutside === true;
      if (isOutside === forOutside) return;
    }
  };

  const storeInATransaction = (batchId: string, hits: readonly CountedHit[], dropped: readonly DroppedHits[]) =>
    database.transaction(async (transaction) => {
      const { rows } = await transaction.query(beginBatch.with({ batchId, ...daysOf(hits) }));
      await storeHits(transaction, hits, rows);
      await addDropped(transaction, dropped);
    });

  return async (batchId, sent, dropped) => {
    const hits = sent.filter(({ websiteId }) => isId(websiteId));
    if (hits.length === 0 && dropped.length === 0) return;
    const isSmall = dropped.length === 0 && hits.length <= MOST_IN_A_STATEMENT;
    try {
      await (isSmall ? storeInAStatement(batchId, hits) : storeInATransaction(batchId, hits, dropped));
    } catch (error) {
      // The batch was written before. `on conflict` would write a third to the log for each id, for the few that come again.
      const failure = classify(error);
      if (failure.reason !== 'unique' || failure.constraint !== 'ingest_batch_pkey') throw error;
    }
  };
}

/** The id of a batch, and its hits by columns: each is the text of an array. */
type BatchColumns = Readonly<Record<string, string>>;

function columnsOfBatch(batchId: string, hits: readonly CountedHit[]): BatchColumns {
  const columns: [string, string][] = HIT_COLUMNS.map(({ name, textOf }) => [name, toArray(hits.map(textOf))]);
  const websiteIds = toArray(hits.map(({ websiteId }) => websiteId));
  return { ...Object.fromEntries(columns), batch_id: batchId, website_id: websiteIds };
}

/** Adds hits that belong to no batch, within a transaction. */
export async function addHits(transaction: Transaction, hits: readonly CountedHit[]): Promise<void> {
  const { rows } = await transaction.query(noteDays.with(daysOf(hits)));
  await storeHits(transaction, hits, rows);
}

/** A website that exists, and its number. */
interface KnownWebsite {
  readonly id: string;
  readonly number: string;
  /** Whether an engine outside has the statistics. */
  readonly isOutside: boolean;
}

/** Stores the hits of known websites; others are left out. */
async function storeHits(
  transaction: Transaction,
  hits: readonly CountedHit[],
  websites: readonly KnownWebsite[],
): Promise<void> {
  const numberOf = new Map(websites.map(({ id, number }) => [id, number]));
  const known = hits.flatMap((hit) => {
    const website = numberOf.get(hit.websiteId);
    return website === undefined ? [] : { ...hit, website };
  });
  if (known.length === 0) return;
  if (websites[0]?.isOutside) return addJournalBatch(transaction, known);
  await transaction.copy(COPY_HITS, [known.map((hit) => hitRow(hit, hit.website)).join('')]);
}

/** The websites of hits, and their days, each with the number of its hits: in three lists that belong together. */
interface Days {
  readonly websiteIds: readonly string[];
  readonly dayWebsiteIds: readonly string[];
  readonly days: readonly string[];
  readonly hits: readonly number[];
}

function daysOf(hits: readonly CountedHit[]): Days {
  const known = hits.filter(({ websiteId }) => isId(websiteId));
  const days = [...groupBy(known, ({ websiteId, day }) => `${websiteId} ${day}`).values()];
  return {
    websiteIds: [...new Set(known.map(({ websiteId }) => websiteId))],
    dayWebsiteIds: days.map(([hit]) => hit?.websiteId ?? ''),
    days: days.map(([hit]) => hit?.day ?? ''),
    hits: days.map(({ length }) => length),
  };
}

/**
 * Records the batch, notes how many hits its days get, and returns the numbers of its websites. Waits for a concurrent batch with the
 * same id; fails if the batch was added before.
 */
const beginBatch = statement<Days & { readonly batchId: string }, KnownWebsite>(
  'begin_hit_batch',
  (placeholder) => sql`
    with batch as (insert into ingest_batch values (${placeholder('batchId')}::uuid)),
    ${notedDays(placeholder)}`,
);

/**
 * Stores a batch with its hits, and notes how many their days get, unless an engine outside has the statistics. Waits for a concurrent
 * batch with the same id; fails if the batch was stored before. One round trip: a transaction with a COPY takes five, and as much of the
 * database's CPU for 60 hits.
 */
const storeBatch = statement<BatchColumns, { readonly isOutside: boolean }>('store_hit_batch', (placeholder) => {
  const arrays = HIT_COLUMNS.map(({ name, type }) => sql`${placeholder(name)}::${sql.raw(type)}[]`);
  const names = HIT_COLUMNS.map(({ name }) => name);
  return sql`
      with batch as (
        insert into ingest_batch select ${placeholder('batch_id')}::uuid where not ${IS_OUTSIDE} returning id
      ),
      sent as materialized (
        select website.number, sent.*
        from unnest(${placeholder('website_id')}::uuid[], ${sql.join(arrays)}) sent (website_id, ${columnsOf(names)})
        join website on website.id = sent.website_id
        where exists (select from batch)
      ),
      noted as (
        insert into added_hits (website_number, day, hits) select number, day, count(*) from sent group by number, day
      ),
      stored as (
        insert into hit (website_number, ${columnsOf(names)}) select number, ${columnsOf(names)} from sent
      )
      select ${IS_OUTSIDE} as "isOutside"`;
});

/** Notes how many hits days get, and returns the numbers of their websites. */
const noteDays = statement<Days, KnownWebsite>(
  'note_days_of_hits',
  (placeholder) => sql`with ${notedDays(placeholder)}`,
);

/** Notes how many hits the days of websites get, unless an engine outside counts them, and selects the websites. */
function notedDays(placeholder: Placeholders<Days>) {
  return sql`
    known as (select id, number from website where id = any(${placeholder('websiteIds')}::uuid[])),
    noted as (
      insert into added_hits (website_number, day, hits)
      select known.number, added.day, added.hits
      from unnest(
        ${placeholder('dayWebsiteIds')}::uuid[], ${placeholder('days')}::date[], ${placeholder('hits')}::integer[]
      ) added (website_id, day, hits) join known on known.id = added.website_id
      where not ${IS_OUTSIDE}
    )
    select id, number, ${IS_OUTSIDE} as "isOutside" from known`;
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
