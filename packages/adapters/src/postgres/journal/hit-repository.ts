import type { HitRepository, Log } from '@hitherto/domain';
import { newId } from '../../system.ts';
import { codeOf } from '../connection/errors.ts';
import { createDroppedTally } from './dropped-tally.ts';
import { createGroupCommit, type OnCommit } from './group-commit.ts';
import type { WriteHits } from './hit-writer.ts';

/** Stores hits in PostgreSQL, many in a transaction. */
export interface PostgresHits extends HitRepository {
  /** Stores the hits and counters that wait. */
  close(): Promise<void>;
}

/** Hits over a group commit, and counters of dropped hits that a tally adds up and writes with them. */
export function createHitRepository(write: WriteHits, log: Log, onCommit: OnCommit): PostgresHits {
  const group = createGroupCommit({ write, newId, onCommit });
  const tally = createDroppedTally(
    (dropped) => group.add([], dropped, { deadline: Number.POSITIVE_INFINITY, untilCertain: true }),
    (error) => log('warn', 'Counters of dropped hits were lost', { code: codeOf(error) }),
  );
  return {
    add: group.add,
    drop: tally.add,
    async close() {
      tally.close();
      await group.close();
    },
  };
}
