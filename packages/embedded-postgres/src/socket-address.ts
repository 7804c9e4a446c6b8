import { mkdtemp, open, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from './settings.ts';

/** A path short enough for a Unix socket. */
export interface SocketAddress {
  /** The path to listen on or connect to, valid until `close`. */
  readonly path: string;
  /** The target of a symbolic link in the folder that leads others to the socket. */
  readonly link: string;
  close(): Promise<void>;
}

/**
 * The address of the socket `name` in `folder`, or of an absolute `name`. On Linux a descriptor of the folder shortens a path
 * that is too long; elsewhere the socket goes into a private temporary folder.
 */
export async function openSocketAddress(
  folder: string,
  name: string,
  use: 'listen' | 'connect',
): Promise<SocketAddress> {
  const path = isAbsolute(name) ? name : join(folder, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES || isAbsolute(name))
    return { path, link: name, close: async () => {} };
  if (process.platform === 'linux') {
    const handle = await open(folder, 'r');
    return { path: `/proc/self/fd/${handle.fd}/${name}`, link: name, close: () => handle.close() };
  }
  if (use === 'connect') return { path, link: name, close: async () => {} };
  const short = join(await mkdtemp('/tmp/hitherto-'), name);
  return { path: short, link: short, close: () => rm(dirname(short), { recursive: true, force: true }) };
}
