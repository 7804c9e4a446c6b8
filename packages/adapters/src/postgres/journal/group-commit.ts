import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type CountedHit,
  type DroppedHits,
  type HitRepository,
  isUnavailable,
  MAX_WAIT_MS,
  OutcomeUnknown,
  type Patience,
  RETRY_MS,
  unavailable,
} from '@hitherto/domain';
import type { WriteHits } from './hit-writer.ts';

/** Stores hits: the hits of many calls in one transaction. */
export interface GroupCommit {
  readonly add: HitRepository['add'];

  /** Resolves when nothing waits. Gives up a second later if the database is away. */
  close(): Promise<void>;
}

/** Called after each commit of hits with their number and the seconds it took. */
export type OnCommit = (hits: number, seconds: number) => void;

export interface GroupCommitDependencies {
  readonly write: WriteHits;
  /** A new id of a batch. */
  readonly newId: () => string;
  readonly onCommit: OnCommit;
}

/** A call of `add` that waits. */
interface Waiting {
  readonly hits: readonly CountedHit[];
  readonly dropped: readonly DroppedHits[];
  readonly untilCertain: boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  deadline: number;
  settled: boolean;
}

/** The number of hits and counters from which a batch accepts no further calls. */
const MAX_BATCH = 2_000;
/** If so many calls queue up during a commit, hits arrive faster than single commits could store them. */
const QUEUING = 8;
/** A transaction costs about as much as 50 hits in it, so while fewer queue up, others may join for a moment. */
const WORTH_A_BATCH = 50;
const PAUSE_MS = 5;
/** How many calls are settled in one turn of the event loop. */
const SETTLED_AT_ONCE = 8;
const EXPIRY_MS = 100;
const CLOSE_MS = 1_000;

/**
 * One committer at a time takes all waiting calls. Hits that arrive during a commit form the next batch, after a short pause if
 * they queue up. A batch that fails while the database is away is repeated under its id, because it may have been committed.
 */
export function createGroupCommit({ write, newId, onCommit }: GroupCommitDependencies): GroupCommit {
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
      sent = takeBatch();
      await commit(sent);
      sent = [];
      if (queue.length >= QUEUING && queue.length < WORTH_A_BATCH) await sleep(PAUSE_MS);
    }
    clearInterval(expiry);
    isCommitting = false;
  }

  function takeBatch(): readonly Waiting[] {
    let size = 0;
    const end = queue.findIndex(({ hits, dropped }) => {
      size += hits.length + dropped.length;
      return size >= MAX_BATCH;
    });
    return queue.splice(0, end === -1 ? queue.length : end + 1);
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const id = newId();
    for (let first = true; ; first = false) {
      const rest = batch.filter((waiting) => !waiting.settled);
      if (rest.length === 0) return;
      const hits = rest.flatMap((waiting) => waiting.hits);
      try {
        const start = performance.now();
        await write(
          id,
          hits,
          rest.flatMap((waiting) => waiting.dropped),
        );
        if (hits.length > 0) onCommit(hits.length, (performance.now() - start) / 1_000);
        return await settleInTurns(rest);
      } catch (error) {
        if (!isUnavailable(error))
          return await (first ? divide(rest, error) : failAll(rest, new OutcomeUnknown(error)));
        const now = performance.now();
        failAll(
          rest.filter(({ deadline }) => deadline <= now),
          new OutcomeUnknown(error),
        );
        await sleep(RETRY_MS);
      }
    }
  }

  /** After a failed first attempt, nothing is stored. One bad hit must not fail the others. */
  async function divide(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) return failAll(batch, error);
    const middle = batch.length >> 1;
    await commit(batch.slice(0, middle));
    await commit(batch.slice(middle));
  }

  function expire(): void {
    const now = performance.now();
    const isExpired = ({ deadline }: Waiting) => deadline <= now;
    failAll(
      sent.filter((waiting) => isExpired(waiting) && !waiting.untilCertain),
      new OutcomeUnknown(),
    );
    if (!queue.some(isExpired)) return;
    failAll(queue.filter(isExpired), unavailable('The database was away for too long.'));
    queue = queue.filter((waiting) => !waiting.settled);
  }

  return {
    add: (
      hits,
      dropped = [],
      { deadline, untilCertain }: Patience = { deadline: performance.now() + MAX_WAIT_MS, untilCertain: false },
    ) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ hits, dropped, deadline, untilCertain, resolve, reject, settled: false });
        if (!isCommitting) void commitAll();
      }),

    async close() {
      const latest = performance.now() + CLOSE_MS;
      for (const waiting of [...queue, ...sent]) waiting.deadline = Math.min(waiting.deadline, latest);
      while (queue.length > 0 || sent.some(({ settled }) => !settled)) await sleep(EXPIRY_MS);
    },
  };
}

/** Settles the call's promise, once. */
function settle(waiting: Waiting, error?: unknown): void {
  if (waiting.settled) return;
  waiting.settled = true;
  if (error === undefined) waiting.resolve();
  else waiting.reject(error);
}

/** Settles calls, a few in each turn of the event loop, because each settled call writes a response. */
async function settleInTurns(batch: readonly Waiting[]): Promise<void> {
  for (const [index, waiting] of batch.entries()) {
    if (index > 0 && index % SETTLED_AT_ONCE === 0) await nextTurn();
    settle(waiting);
  }
}

function failAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) settle(waiting, error);
}
