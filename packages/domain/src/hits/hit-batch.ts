import { DomainError } from '../base/errors.ts';
import { fingerprintOf, hashIdempotencyKey } from '../changes/idempotency-record.ts';
import type { CountedHit, DropReason } from './hit.ts';
import type { DroppedHits } from './hit-repository.ts';

/** How long a batch of hits can be sent again with its `Idempotency-Key`, in milliseconds (tracker.md). */
const BATCH_WINDOW_MS = 48 * 60 * 60 * 1000;

/** The outcome of a batch; `index` counts its hits from 0. */
export interface CollectedHits {
  readonly counted: number;
  readonly dropped: readonly { readonly index: number; readonly reason: DropReason }[];
}

/** The record of a batch that came with an `Idempotency-Key`. Neither the key nor the hits can be read from it. */
export interface HitBatchRecord {
  /** Finds the record again. */
  readonly keyHash: string;
  /** Tells whether a repeat has the same hits. */
  readonly fingerprint: string;
  /** The outcome of the batch. */
  readonly collected: CollectedHits;
  readonly expiresAt: Date;
}

/**
 * Stores batches of hits that may be sent again. All methods reject with a `DomainError` of code `unavailable` while the
 * database is unreachable or overloaded.
 */
export interface HitBatchRepository {
  /** The record of an earlier batch by the hash of its key, unless it has expired at `now`. */
  find(keyHash: string, now: Date): Promise<HitBatchRecord | undefined>;

  /**
   * Adds hits, counters of dropped hits and the record of their batch, all or none. A record of the same `keyHash` that
   * has not expired at `now` wins: then nothing is written. Waits for a concurrent batch with the same `keyHash`. Hits
   * of deleted websites are left out.
   *
   * @returns the earlier record, or `undefined` where the batch was added
   */
  add(
    record: HitBatchRecord,
    hits: readonly CountedHit[],
    dropped: readonly DroppedHits[],
    now: Date,
  ): Promise<HitBatchRecord | undefined>;

  /**
   * Deletes a bounded number of records that have expired at `now`, and of ids of batches that are never sent again. Returns
   * whether more are left.
   */
  deleteExpired(now: Date): Promise<boolean>;
}

/** A batch that can be sent again: its `Idempotency-Key` and its content in normal form. */
export interface RepeatableBatch {
  readonly idempotencyKey: string;
  readonly fields: string;
}

/** The record of a batch that was collected at `now`; it expires after 48 hours. */
export function makeBatchRecord(
  accountId: string,
  batch: RepeatableBatch,
  collected: CollectedHits,
  now: Date,
): HitBatchRecord {
  return {
    keyHash: hashIdempotencyKey(accountId, batch.idempotencyKey),
    fingerprint: fingerprintOf(accountId, batch.idempotencyKey, batch.fields),
    collected,
    expiresAt: new Date(now.getTime() + BATCH_WINDOW_MS),
  };
}

/**
 * The result of the first request with this batch.
 *
 * @throws DomainError `idempotency_key_reused` if its key was used for other hits
 */
export function replayBatch(accountId: string, batch: RepeatableBatch, record: HitBatchRecord): CollectedHits {
  if (record.fingerprint === fingerprintOf(accountId, batch.idempotencyKey, batch.fields)) return record.collected;
  throw new DomainError(
    'idempotency_key_reused',
    'This Idempotency-Key was already used with different hits; use a new one.',
  );
}
