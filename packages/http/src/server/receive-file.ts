import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unavailable } from '@hitherto/domain/base';
import { HttpProblem } from '../problems/problems.ts';

/** A file in a temporary folder. */
export interface ReceivedFile {
  readonly path: string;
  /** In hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  remove(): Promise<void>;
}

const PREFIX = 'hitherto-import-';
const FOLDER = new RegExp(`^${PREFIX}(.+)-(\\d+)-[^-]+$`);
const DAY_MS = 24 * 3_600_000;

/**
 * A new folder for files that only this process uses. Its name has the process, so that it can be removed after a kill.
 *
 * @throws DomainError `unavailable` if the disk is full
 */
export function makeFileFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${hostname()}-${process.pid}-`)).catch(rejectFullDisk);
}

/**
 * Rethrows an error of writing a temporary file.
 *
 * @throws DomainError `unavailable` if the disk is full; else the error
 */
export function rejectFullDisk(error: unknown): never {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  throw isFull ? unavailable('The disk for temporary files is full.', error) : error;
}

/** Removes the folders of processes that were killed. What cannot be removed now may be later. */
export async function removeAbandonedFolders(now: Date): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, host, pid] = FOLDER.exec(name) ?? [];
    const folder = join(tmpdir(), name);
    if (host === undefined || !(await isAbandoned(folder, host, Number(pid), now))) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/** Containers may share the folder, but not their processes; each start of one may have the same process number. */
async function isAbandoned(folder: string, host: string, pid: number, now: Date): Promise<boolean> {
  const { uid, ctimeMs } = await lstat(folder).catch(() => ({ uid: undefined, ctimeMs: 0 }));
  if (uid === undefined || uid !== (process.getuid?.() ?? uid)) return false;
  if (host !== hostname()) return now.getTime() - ctimeMs > DAY_MS;
  if (pid === process.pid) return ctimeMs < performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/**
 * Writes a stream to a temporary file that only this user can read; memory does not grow with it. If that fails, the rest of
 * the stream is read and dropped.
 *
 * @param limit the most bytes of the file, and of what is dropped
 * @throws HttpProblem `payload_too_large`; DomainError `unavailable` if the disk is full
 */
export async function receiveFile(stream: Readable, limit: number): Promise<ReceivedFile> {
  const folder = await makeFileFolder().catch((error) => {
    drain(stream, limit);
    throw error;
  });
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, 'file');
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > limit ? tooLarge(limit) : null, chunk);
    },
  });
  try {
    await pipeline(stream.iterator({ destroyOnReturn: false }), measure, createWriteStream(path, { mode: 0o600 }));
    return { path, sha256: hash.digest('hex'), bytes, remove };
  } catch (error) {
    drain(stream, limit);
    await remove();
    return rejectFullDisk(error);
  }
}

/**
 * Drops the rest of a stream, up to some bytes. Closing the connection instead would reset it while the client still sends,
 * and most clients then lose the response.
 */
function drain(stream: Readable, limit: number): void {
  let bytes = 0;
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limit) stream.destroy();
  });
  stream.resume();
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem('payload_too_large', `A file may have at most ${limit.toLocaleString('en')} bytes.`);
}
