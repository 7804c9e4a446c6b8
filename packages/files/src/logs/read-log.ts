import { constants, type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { IDENTIFYING_BYTES, type ReadableLogFile } from '@hitherto/domain/files';
import { isGzip, rejectUnreadable } from './file-kinds.ts';
import { lineEndOf, type RawLine, type RawLog, splitLines } from './lines.ts';

/** A file of a log, plain or compressed by gzip. */
export interface OpenLog extends RawLog, Pick<ReadableLogFile, 'path' | 'share'> {
  /** The same for all names of the file. */
  readonly identity: string;
  /** When it was changed last, in milliseconds since 1970. */
  readonly changed: number;
  close(): Promise<void>;
}

/** How many bytes are read at once. */
const CHUNK = 262_144;

/** Opens a file of a log. Rotation may rename it while it is open. Rejects with the error of the file system if it cannot be read. */
export async function openLog(path: string): Promise<OpenLog> {
  // Opening a pipe to which nobody writes would wait, and could not be interrupted.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await logOf(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function logOf(handle: FileHandle, path: string): Promise<OpenLog> {
  const stats = await handle.stat();
  if (stats.isFIFO()) throw new Error(`${path} is a pipe: a log must be a file.`);
  const { size, ino, dev, mtimeMs } = stats;
  let read = 0;

  /** The bytes up to the size that the file had: lines appended later belong to the next reading. */
  async function* raw(start: number): AsyncGenerator<Buffer> {
    for (let position = start; position < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - position));
      const { bytesRead: length } = await handle.read(chunk, 0, chunk.length, position);
      if (length === 0) return;
      position += length;
      read = position;
      yield chunk.subarray(0, length);
    }
  }

  async function* gunzipped(): AsyncGenerator<Buffer> {
    const gunzip = createGunzip();
    // The reader gets the error; if it ends early, nobody needs one.
    pipeline(Readable.from(raw(0)), gunzip).catch(() => {});
    try {
      yield* gunzip;
    } catch (error) {
      throw namedFault(error, path);
    }
  }

  const beginning = await firstBytes(raw(0));
  rejectUnreadable(beginning, path);
  return {
    ...(isGzip(beginning) ? await finishedLog(gunzipped) : growingLog(raw, size, beginning)),
    path,
    identity: `${dev} ${ino}`,
    changed: mtimeMs,
    share: () => (size === 0 ? 1 : Math.min(1, read / size)),
    close: () => handle.close(),
  };
}

/** The content of a file that a server may write to: its last line counts once it has its end. */
function growingLog(raw: (start: number) => AsyncIterable<Buffer>, size: number, beginning: Buffer): RawLog {
  let isUnfinished = false;
  return {
    size,
    beginning,
    isUnfinished: () => isUnfinished,

    async *lines(from) {
      const rest = yield* splitLines(raw(from), from, lineEndOf(beginning));
      isUnfinished = rest !== undefined;
    },
  };
}

/** An error of unpacking with the name of the file, and its code: rotation may still be compressing it. */
function namedFault(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!code.startsWith('Z_')) return error;
  return Object.assign(new Error(`${path} is incomplete or damaged: it cannot be unpacked.`, { cause: error }), {
    code,
  });
}

/**
 * The content of a file that does not grow, so that its last line needs no end. Lines that begin before an offset are left out: a
 * longer copy of the file may go on with that last line.
 *
 * @param bytes reads all of the file
 */
export async function finishedLog(
  bytes: () => AsyncIterable<Buffer> | Promise<AsyncIterable<Buffer>>,
): Promise<RawLog> {
  const beginning = await firstBytes(await bytes());

  async function* all(): AsyncGenerator<readonly RawLine[]> {
    const rest = yield* splitLines(await bytes(), 0, lineEndOf(beginning));
    if (rest !== undefined) yield [rest];
  }

  return {
    size: undefined,
    beginning,
    isUnfinished: () => false,

    async *lines(from) {
      let start = 0;
      for await (const lines of all()) {
        yield lines.filter(({ end }) => {
          const isWanted = start >= from;
          start = end;
          return isWanted;
        });
      }
    },
  };
}

async function firstBytes(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  let first = Buffer.alloc(0);
  for await (const chunk of bytes) {
    first = Buffer.concat([first, chunk]);
    if (first.length >= IDENTIFYING_BYTES) break;
  }
  return first.subarray(0, IDENTIFYING_BYTES);
}

/** A date with which Caddy renames a file, in front of its extension or at its end. */
const CADDY_DATE = /-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}(?:-[a-z]+)?(?=(?:\.[^.]+)?$)/;

/** The name of the log that a file belongs to: without `.gz`, the number and the date that rotation adds. */
export function logNameOf(path: string): string {
  const name = basename(path).replace(/\.gz$/i, '');
  const shorter = name
    .replace(CADDY_DATE, '')
    .replace(/[.-]\d{4}-?\d{2}-?\d{2}(?:[T.-]?\d{2,6})?$/, '')
    .replace(/\.\d{1,4}$/, '');
  return shorter === '' ? name : shorter;
}
