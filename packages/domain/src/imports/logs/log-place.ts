import { createHash } from 'node:crypto';
import type { LogCheckpoint } from './logs.ts';

/** How many of a file's first bytes identify it, through renaming, copying and compression. */
export const IDENTIFYING_BYTES = 1_024;

/**
 * Whether a line counts: it is new, it was read before, or its place is lost and it is of an earlier second, so that it may have
 * been read before.
 */
type LinePlace = 'new' | 'read' | 'earlier';

/** A file of a log, as it is before it is read. */
export interface LogFile {
  /** Its first {@link IDENTIFYING_BYTES} bytes, or all of them, uncompressed. */
  readonly beginning: Uint8Array;
  /** Uncompressed, in bytes; `undefined` of a compressed file, which is never truncated. */
  readonly size: number | undefined;
}

/** Follows the lines of a log from a checkpoint on, so that each counts once. */
export interface LogCursor {
  /** Begins the next file. */
  enter(): void;
  /**
   * Judges the next line of the file.
   *
   * @param offset at which it ends, in bytes
   * @param time of its request; `undefined` if it has none
   */
  judge(offset: number, time: Date | undefined): LinePlace;
  /** The offset from which the file at this place has lines that may count; `undefined` if it has none. */
  startOf(index: number): number | undefined;
  /**
   * How far the log has been read; `undefined` before the first line.
   *
   * @param isEnd whether all of its files have been read
   */
  checkpoint(isEnd: boolean): LogCheckpoint | undefined;
}

/**
 * A cursor for the files of a log.
 *
 * If the checkpoint's file is among them, everything before its offset has been read. Otherwise the place is lost, and time
 * decides: lines after the last second read count, and so do further lines within that second.
 *
 * @param files all files of the log, the oldest first
 */
export function createLogCursor(last: LogCheckpoint | undefined, files: readonly LogFile[]): LogCursor {
  const known = last === undefined ? -1 : files.findLastIndex((file) => isSameFile(last, file));
  const lost = last !== undefined && known === -1 ? { second: last.second, lines: last.linesOfSecond } : last?.lost;
  let index = -1;
  /** The place of the last line: a file without lines is not a place. */
  let place = { index: -1, offset: 0 };
  let latest = last?.second ?? Number.NEGATIVE_INFINITY;
  let linesOfSecond = last?.linesOfSecond ?? 0;
  /** Lines of the last known second that have come again since the place was lost. */
  let repeated = 0;
  /** In a copy that is shorter than what was read, the place stays where it was. */
  const isCopy = last !== undefined && known === -1 && files.some((file) => hasBeginning(last, file));
  let hasNew = false;

  function placeOf(end: number, second: number | undefined): LinePlace {
    if (last !== undefined && (index < known || (index === known && end <= last.offset))) return 'read';
    if (lost === undefined) return 'new';
    if (second === undefined || second < lost.second) return 'earlier';
    if (second > lost.second) return 'new';
    repeated += 1;
    return repeated <= lost.lines ? 'read' : 'new';
  }

  return {
    enter() {
      index += 1;
    },

    judge(end, time) {
      const second = time === undefined ? undefined : Math.floor(time.getTime() / 1_000);
      const judged = placeOf(end, second);
      place = { index, offset: end };
      hasNew ||= judged === 'new';
      if (judged === 'new' && second !== undefined) {
        if (second > latest) [latest, linesOfSecond] = [second, 0];
        if (second === latest) linesOfSecond += 1;
      }
      return judged;
    },

    startOf(index) {
      if (index > known) return 0;
      return index === known ? last?.offset : undefined;
    },

    checkpoint(isEnd) {
      const { index: reached, offset } = place;
      // Only a place after that of the checkpoint is progress.
      const isBehind = reached > known || (reached === known && offset > (last?.offset ?? 0));
      if (reached === -1 || (last !== undefined && known !== -1 && !isBehind)) return last && at(last, isEnd, lost);
      if (isCopy && !hasNew) return at(last, isEnd, lost);
      const identifying = files[reached]?.beginning.slice(0, Math.min(offset, IDENTIFYING_BYTES)) ?? new Uint8Array();
      const beginning = { bytes: identifying.length, sha256: sha256Of(identifying) };
      const second = Number.isFinite(latest) ? latest : 0;
      const left = lost && { second: lost.second, lines: Math.max(0, lost.lines - repeated) };
      return at({ beginning, offset, second, linesOfSecond }, isEnd, left);
    },
  };
}

/** A checkpoint; at the end of the log, a lost place is forgotten. */
function at(
  { beginning, offset, second, linesOfSecond }: LogCheckpoint,
  isEnd: boolean,
  lost: LogCheckpoint['lost'],
): LogCheckpoint {
  const place = { beginning, offset, second, linesOfSecond };
  return isEnd || lost === undefined ? place : { ...place, lost };
}

function isSameFile(last: LogCheckpoint, file: LogFile): boolean {
  return (file.size === undefined || file.size >= last.offset) && hasBeginning(last, file);
}

/** Whether a file begins as the one of a checkpoint. It may be a shorter copy, or truncated. */
export function hasBeginning({ beginning: { bytes, sha256 } }: LogCheckpoint, { beginning }: LogFile): boolean {
  return sha256Of(beginning.slice(0, bytes)) === sha256;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
