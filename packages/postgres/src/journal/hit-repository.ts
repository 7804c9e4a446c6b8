import type { Log } from '@hitherto/domain/base';
import type { DroppedHits, HitRepository } from '@hitherto/domain/hits';
import { v7 as newId } from 'uuid';
import { errorCodeOf } from '../connection/errors.ts';
import { createGroupCommit, type OnCommit } from './group-commit.ts';
import type { WriteHits } from './hit-writer.ts';
import { createTally } from './tally.ts';

/** Stores hits in PostgreSQL, many in a transaction. */
export interface PostgresHits extends HitRepository {
  /** Stores the hits and counters that wait. */
  close(): Promise<void>;
}

/** Writes hits through the group commit, together with the counters of dropped hits, which a tally adds up. */
export function createHitRepository(write: WriteHits, log: Log, onCommit: OnCommit): PostgresHits {
  const group = createGroupCommit({ write, newId, onCommit });
  const tally = createTally<DroppedHits>({
    keyOf: ({ websiteId, day, reason }) => `${websiteId} ${day} ${reason}`,
    sum: (one, other) => ({ ...one, hits: one.hits + other.hits }),
    write: (dropped) => group.add([], dropped, { deadline: Number.POSITIVE_INFINITY, untilCertain: true }),
    onFailure: (error) => log('warn', 'Counters of dropped hits were lost', { code: errorCodeOf(error) }),
  });
  return {
    add: group.add,
    addDropped: tally.add,
    async close() {
      const written = tally.close();
      await group.close();
      await written;
    },
  };
}
