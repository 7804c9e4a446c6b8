import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import type { CountedHit, DroppedHits } from '@hitherto/domain/hits';
import type { WriteHits } from '../../src/journal/hit-writer.ts';

/** The fate of an attempt to write a batch: it fails before or after its commit, never ends, takes its time, or breaks. */
export type Fate = 'fails before' | 'fails after' | 'hangs' | 'is slow' | 'works' | 'breaks';

/** Writes batches in memory, and fails as it is told. */
export interface FaultyWriter {
  readonly write: WriteHits;
  /** The fates of the next attempts, in order; after them all work. */
  readonly fates: Fate[];
  /** Whether every attempt fails, before any of `fates`. */
  away: boolean;
  /** How long an attempt takes, in milliseconds. */
  ms: number;
  readonly stored: CountedHit[];
  readonly dropped: DroppedHits[];
  /** How many hits each attempt carried. */
  readonly attempts: number[];
}

/** Pages with this name cannot be stored. */
export const BAD_PAGE = '/bad';

export function createFaultyWriter(): FaultyWriter {
  const batches = new Set<string>();

  const writer: FaultyWriter = {
    fates: [],
    away: false,
    ms: 0,
    stored: [],
    dropped: [],
    attempts: [],

    async write(batchId, hits, dropped) {
      writer.attempts.push(hits.length);
      if (writer.away) throw unavailable('away');
      const fate = writer.fates.shift() ?? 'works';
      if (fate === 'hangs') await new Promise(() => {});
      if (fate === 'is slow') await sleep(50);
      if (fate === 'fails before') throw unavailable('failed before the commit');
      if (fate === 'breaks' || hits.some(({ page }) => page === BAD_PAGE)) throw new Error('bad data');
      if (writer.ms > 0) await sleep(writer.ms);
      if (!batches.has(batchId)) {
        writer.stored.push(...hits);
        writer.dropped.push(...dropped);
      }
      batches.add(batchId);
      if (fate === 'fails after') throw unavailable('failed after the commit');
    },
  };
  return writer;
}
