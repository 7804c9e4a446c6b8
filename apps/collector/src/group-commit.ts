import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type CountedHit,
  DomainError,
  type HitRepository,
  isUnavailable,
  RETRY_MS,
  unavailable,
} from '@hitherto/domain';

/** It is unknown whether the hit was stored: if sent again, it could count twice. */
export class OutcomeUnknown extends DomainError {
  override readonly name = 'OutcomeUnknown';

  constructor() {
    super('unavailable', 'The database did not confirm in time that the hit is stored.');
  }
}

/** Stores hits, many per transaction. */
export interface GroupCommit {
  /**
   * Resolves once the hit is committed.
   *
   * @param deadline on the monotonic clock, in milliseconds: how long the hit waits for the database. After it this rejects
   *   with `OutcomeUnknown` where the hit was sent to the database, else with `unavailable`; then the hit is not stored.
   */
  add(hit: CountedHit, deadline: number): Promise<void>;

  /** Resolves when no hit is waiting. */
  close(): Promise<void>;
}

export interface GroupCommitDependencies {
  readonly hits: HitRepository;
  /** A new id of a batch. */
  readonly newId: () => string;
  /** Called after each commit with the number of hits and the seconds it took. */
  readonly onCommit: (hits: number, seconds: number) => void;
}

interface Waiting {
  readonly hit: CountedHit;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  settled: boolean;
}

const MAX_BATCH = 2_000;
/** A transaction costs about as much as 50 hits in it, so while fewer wait, others may join for a moment. */
const WORTH_A_BATCH = 50;
const PAUSE_MS = 5;
const EXPIRY_MS = 100;

/**
 * One committer at a time takes all waiting hits. Hits that arrive during a commit, or in a short pause after it, form the
 * next batch. A batch that fails while the database is away is repeated under its id, because it may have been committed.
 */
export function createGroupCommit({ hits, newId, onCommit }: GroupCommitDependencies): GroupCommit {
  let queue: Waiting[] = [];
  /** The batch that is being committed. */
  let sent: readonly Waiting[] = [];
  let isCommitting = false;

  async function commitAll(): Promise<void> {
    isCommitting = true;
    const expiry = setInterval(expire, EXPIRY_MS);
    // Hits that arrived in the same turn of the event loop share the first batch.
    await nextTurn();
    while (queue.length > 0) {
      sent = queue.splice(0, MAX_BATCH);
      await commit(sent);
      sent = [];
      if (queue.length < WORTH_A_BATCH) await sleep(PAUSE_MS);
    }
    clearInterval(expiry);
    isCommitting = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const id = newId();
    for (let first = true; ; first = false) {
      const rest = batch.filter((waiting) => !waiting.settled);
      if (rest.length === 0) return;
      try {
        const start = performance.now();
        await hits.add(
          id,
          rest.map(({ hit }) => hit),
        );
        onCommit(rest.length, (performance.now() - start) / 1_000);
        for (const waiting of rest) settle(waiting);
        return;
      } catch (error) {
        // Any other failure of a first attempt has stored nothing. One bad hit must not fail the others.
        if (first && !isUnavailable(error)) return await divide(rest, error);
        await sleep(RETRY_MS);
      }
    }
  }

  async function divide(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined) return settle(only, error);
    const middle = batch.length >> 1;
    await commit(batch.slice(0, middle));
    await commit(batch.slice(middle));
  }

  function expire(): void {
    const now = performance.now();
    for (const waiting of sent) if (waiting.deadline <= now) settle(waiting, new OutcomeUnknown());
    if (!queue.some(({ deadline }) => deadline <= now)) return;
    for (const waiting of queue) {
      if (waiting.deadline <= now) settle(waiting, unavailable('The database was away for too long.'));
    }
    queue = queue.filter((waiting) => !waiting.settled);
  }

  return {
    add: (hit, deadline) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ hit, deadline, resolve, reject, settled: false });
        if (!isCommitting) void commitAll();
      }),

    async close() {
      // A commit may hang; its hits do not wait longer than their deadline.
      while (queue.length > 0 || sent.some(({ settled }) => !settled)) await sleep(EXPIRY_MS);
    },
  };
}

/** Settles the hit's promise, once. */
function settle(waiting: Waiting, error?: unknown): void {
  if (waiting.settled) return;
  waiting.settled = true;
  if (error === undefined) waiting.resolve();
  else waiting.reject(error);
}
