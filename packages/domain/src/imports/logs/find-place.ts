import { hasBeginning, type LogFile } from './log-place.ts';
import type { LogCheckpoint, LogRepository } from './logs.ts';

/** How far a log has been read for a website. */
interface LogPlace {
  /** The name under which this is stored. */
  readonly name: string;
  /** `undefined` for a log that is new. */
  readonly checkpoint: LogCheckpoint | undefined;
}

/**
 * Finds how far a log has been read. Its name depends on that of its file, and on the way in which it came, so the place may be
 * stored under another name: then the beginning of a file tells.
 */
export async function findLogPlace(
  logs: Pick<LogRepository, 'checkpoint' | 'checkpoints'>,
  websiteId: string,
  { name, files }: { readonly name: string; readonly files: readonly LogFile[] },
): Promise<LogPlace> {
  const own: LogPlace = { name, checkpoint: await logs.checkpoint(websiteId, name) };
  const last = files.length - 1;
  if (indexOf(own.checkpoint, files) === last) return own;
  const known = [...(await logs.checkpoints(websiteId))].flatMap(([log, checkpoint]) => {
    const index = indexOf(checkpoint, files);
    return index === -1 ? [] : { name: log, checkpoint, index };
  });
  // No line was read beyond the furthest of them.
  const [furthest] = known.sort((a, b) => b.index - a.index || b.checkpoint.offset - a.checkpoint.offset);
  return furthest ?? own;
}

/** The index of the file that was read last, or -1. */
function indexOf(checkpoint: LogCheckpoint | undefined, files: readonly LogFile[]): number {
  return checkpoint === undefined ? -1 : files.findLastIndex((file) => hasLine(file) && hasBeginning(checkpoint, file));
}

/** Whether it begins with more than headers, or the NULs of a truncated file: those may be the same in different logs. */
function hasLine({ beginning }: LogFile): boolean {
  return /^[^#\s]/m.test(Buffer.from(beginning).toString().replaceAll('\0', ''));
}
