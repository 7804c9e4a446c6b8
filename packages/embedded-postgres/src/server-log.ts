import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { MAX_LOG_BYTES } from './settings.ts';

/** The server's own log, open for the server to write to. */
interface ServerLog {
  readonly descriptor: number;
  /** The last lines written since it was opened. */
  tail(): Promise<string>;
  close(): Promise<void>;
}

/** Opens the log for appending. A large log is first renamed, replacing the one renamed before. */
export async function openServerLog(path: string): Promise<ServerLog> {
  let file = await openFile(path);
  let { size } = await file.stat();
  if (size > MAX_LOG_BYTES) {
    await file.close();
    await rename(path, `${path}.1`);
    file = await openFile(path);
    size = 0;
  }

  return {
    descriptor: file.fd,
    async tail() {
      const end = (await file.stat()).size;
      const start = Math.max(size, end - 2000);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      return buffer.toString('utf8', 0, bytesRead).trim();
    },
    close: () => file.close(),
  };
}

function openFile(path: string): Promise<FileHandle> {
  // Never through a link: this may be root, writing in an ordinary user's folder.
  return open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}
