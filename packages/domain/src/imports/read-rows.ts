import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Day } from '../calendar/days.ts';
import type { CountedHit } from '../hits/hit.ts';
import type { ImportCounts, ImportedLogs } from './import.ts';
import type { ImportRow, RowContent } from './import-content.ts';
import type { JudgedRow } from './judge-row.ts';
import { countSkipped } from './skipped-rows.ts';

/** How many hits are passed on in one piece: few enough that most are freed before V8 promotes them to the old generation. */
const BATCH = 2_000;
/** The number of rows, besides the end of each piece of a file, after which waiting requests of this process get their turn. */
export const ROWS_PER_TURN = 200;

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

/** Reads a file of hits row by row, in turns with other work of the process. */
export function createRowReader(
  content: RowContent,
  { judge, keepGoing, signal, onHits }: ReadRowsOptions,
): ContentReader {
  const days = new Map<Day, number>();
  const skipped = countSkipped();
  let rows = 0;
  let hits = 0;

  const counts = (): ImportCounts => {
    const sorted = [...days.keys()].sort();
    return {
      from: sorted[0] ?? null,
      to: sorted.at(-1) ?? null,
      hits,
      days: sorted.length,
      rows,
      share: content.share(),
      skipped: skipped.result(),
    };
  };

  return {
    counts,

    async read() {
      let batch: CountedHit[] = [];
      for await (const piece of content.rows()) {
        await nextTurn();
        signal.throwIfAborted();
        for (const row of piece) {
          rows += 1;
          const judged = judge(row);
          if (judged.hit === undefined) skipped.add(judged.reason, row, judged.text);
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
      }
      signal.throwIfAborted();
      if (!keepGoing) skipped.rejectFaults(rows);
      if (batch.length > 0) await onHits(batch);
      return undefined;
    },
  };
}
