import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Day } from '../calendar/days.ts';
import type { CountedHit } from '../hit.ts';
import { InvalidFile } from './errors.ts';
import type { ImportCounts, ImportedLogs, SkippedRows, SkipReason } from './import.ts';
import type { ImportRow, RowSource } from './import-source.ts';
import type { JudgedRow } from './judge-row.ts';

/** The largest share of faulty rows with which a file is imported. */
const MAX_FAULTY = 0.01;
/** How many hits are passed on at once. */
const BATCH = 5_000;
/** After so many rows, waiting requests of this process get their turn. */
const ROWS_PER_TURN = 200;
const MAX_EXAMPLE_LENGTH = 300;

export interface ReadRowsOptions {
  readonly judge: (row: ImportRow) => JudgedRow;
  /** Whether any share of faulty rows is accepted. */
  readonly keepGoing: boolean;
  readonly signal: AbortSignal;
  /** Gets the hits that count, in batches. */
  readonly onHits: (hits: readonly CountedHit[]) => Promise<void>;
}

/** The content of an import that is being read. */
export interface ContentReader {
  /** How far it is. */
  counts(): ImportCounts;
  /**
   * Reads all of it. Throws {@link InvalidFile} if too many rows are faulty, and the reason of an aborted signal.
   *
   * @returns the logs that it has read, if it is of logs
   */
  read(): Promise<ImportedLogs | undefined>;
}

export function createRowReader(
  source: RowSource,
  { judge, keepGoing, signal, onHits }: ReadRowsOptions,
): ContentReader {
  const days = new Map<Day, number>();
  const skipped = new Map<SkipReason, SkippedRows>();
  let rows = 0;
  let hits = 0;

  const skip = (reason: SkipReason, place: string, detail: string) => {
    const known = skipped.get(reason);
    const example = known?.example ?? `${place}: ${detail}`.slice(0, MAX_EXAMPLE_LENGTH);
    skipped.set(reason, { reason, rows: (known?.rows ?? 0) + 1, example });
  };

  const counts = (): ImportCounts => {
    const sorted = [...days.keys()].sort();
    return {
      from: sorted[0] ?? null,
      to: sorted.at(-1) ?? null,
      hits,
      days: sorted.length,
      rows,
      share: source.share(),
      skipped: [...skipped.values()].sort((a, b) => b.rows - a.rows),
    };
  };

  return {
    counts,

    async read() {
      let batch: CountedHit[] = [];
      for await (const row of source.rows()) {
        rows += 1;
        const judged = judge(row);
        if (judged.hit === undefined) skip(judged.reason, row.place, judged.detail);
        else {
          batch.push(judged.hit);
          hits += 1;
          days.set(judged.hit.day, (days.get(judged.hit.day) ?? 0) + 1);
        }
        if (rows % ROWS_PER_TURN === 0) {
          await nextTurn();
          signal.throwIfAborted();
        }
        if (batch.length >= BATCH) {
          await onHits(batch);
          batch = [];
        }
      }
      signal.throwIfAborted();
      const faulty = skipped.get('faulty');
      if (faulty !== undefined && !keepGoing) rejectFaults(faulty, rows);
      if (batch.length > 0) await onHits(batch);
      return undefined;
    },
  };
}

/** Throws {@link InvalidFile} if too many of the rows are faulty. */
export function rejectFaults(faulty: Pick<SkippedRows, 'rows' | 'example'>, rows: number): void {
  if (faulty.rows <= rows * MAX_FAULTY) return;
  throw new InvalidFile(
    `${faulty.rows} of ${rows} rows are faulty, more than 1 %. The first one is ${faulty.example} Mend them, or import with "keep_going".`,
  );
}
