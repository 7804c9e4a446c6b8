import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable, RETRY_MS, unavailable } from '@hitherto/domain/base';
import {
  type CountedHit,
  type DroppedHits,
  type HitRepository,
  MAX_WAIT_MS,
  OutcomeUnknown,
  type WriteDeadline,
} from '@hitherto/domain/hits';
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
/** While the database commits one batch, the process reads the hits of another one, and sends them. */
const MAX_COMMITS = 2;
/** A transaction costs about as much as 50 hits in it, so fewer calls wait until no commit is under way. */
const WORTH_A_COMMIT = 32;
/** If this many calls queue up during a commit, hits arrive faster than single commits could store them. */
const QUEUING = 8;
/** How long to wait then for more hits. Every response pays for it; below half the peak rate the CPU can afford more commits. */
const PAUSE_MS = 1;
/** How many calls are settled in one turn of the event loop. */
const SETTLED_AT_ONCE = 8;
const EXPIRY_MS = 100;
const CLOSE_MS = 1_000;

/**
 * Commits all waiting calls as one batch. Calls that arrive during a commit form the next batch: immediately if they are many,
 * otherwise after the commit, with a short pause if they queue up. A batch that fails while the database is unreachable is
 * repeated under its id, because it may have been committed.
 */
export function createGroupCommit({ write, newId, onCommit }: GroupCommitDependencies): GroupCommit {
  let queue: Waiting[] = [];
  /** The batches that are being committed. */
  const sent = new Set<readonly Waiting[]>();
  let isTurnEnding = false;
  let pause: NodeJS.Timeout | undefined;
  let expiry: NodeJS.Timeout | undefined;

  /** Hits that arrive in the same turn of the event loop share a batch. */
  function commitAfterTurn(): void {
    if (isTurnEnding) return;
    isTurnEnding = true;
    setImmediate(() => {
      isTurnEnding = false;
      commitWaiting();
    });
  }

  function commitWaiting(): void {
    while (mayCommit()) void commitBatch();
  }

  function mayCommit(): boolean {
    if (queue.length >= WORTH_A_COMMIT) return sent.size < MAX_COMMITS;
    return queue.length > 0 && sent.size === 0 && pause === undefined;
  }

  async function commitBatch(): Promise<void> {
    clearTimeout(pause);
    pause = undefined;
    expiry ??= setInterval(expire, EXPIRY_MS);
    const batch = takeBatch();
    sent.add(batch);
    await commit(batch);
    sent.delete(batch);
    if (sent.size === 0) afterCommits();
    commitWaiting();
  }

  /** No commit is under way. */
  function afterCommits(): void {
    if (queue.length >= QUEUING && queue.length < WORTH_A_COMMIT) pause = setTimeout(endPause, PAUSE_MS);
    if (queue.length > 0) return;
    clearInterval(expiry);
    expiry = undefined;
  }

  function endPause(): void {
    pause = undefined;
    commitWaiting();
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
        return void settleInTurns(rest);
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

  /** For a batch whose first attempt failed and stored nothing: one bad hit must not fail the rest. */
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
      [...sent].flat().filter((waiting) => isExpired(waiting) && !waiting.untilCertain),
      new OutcomeUnknown(),
    );
    if (!queue.some(isExpired)) return;
    failAll(queue.filter(isExpired), unavailable('The database was unreachable for too long.'));
    queue = queue.filter((waiting) => !waiting.settled);
  }

  return {
    add: (
      hits,
      dropped = [],
      { deadline, untilCertain }: WriteDeadline = { deadline: performance.now() + MAX_WAIT_MS, untilCertain: false },
    ) =>
      new Promise<void>((resolve, reject) => {
        queue.push({ hits, dropped, deadline, untilCertain, resolve, reject, settled: false });
        commitAfterTurn();
      }),

    async close() {
      const latest = performance.now() + CLOSE_MS;
      for (const waiting of [...queue, ...[...sent].flat()]) waiting.deadline = Math.min(waiting.deadline, latest);
      while (queue.length > 0 || [...sent].flat().some(({ settled }) => !settled)) await sleep(EXPIRY_MS);
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
