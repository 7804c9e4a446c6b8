import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readlink, rm, symlink, unlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { systemCode } from './errors.ts';
import { type Announcement, type Holder, type HolderRole, isAlive, watchHolder } from './holder.ts';
import { openSocketAddress, type SocketAddress } from './paths.ts';
import type { EmbeddedConnection } from './types.ts';

/** The exclusive right to run a server on a folder. It ends with the process that holds it. */
export interface FolderLock {
  /** Tells waiting processes how to reach the server; undefined while it does not respond. */
  announce(connection: EmbeddedConnection | undefined): void;
  release(): Promise<void>;
}

/** The folder of the lock on a data folder. */
export function lockIn(dataDir: string): string {
  return join(dataDir, 'lock');
}

/**
 * Takes the folder, or returns its holder.
 *
 * A holder listens on a Unix socket in `lock/`, which the kernel closes when the process dies, and then publishes it as a
 * symbolic link named by the next number. The link with the highest number is the lock, held while its socket responds.
 * Creating a link is exclusive, so only one process gets a number. The highest link is never removed, so a process that
 * looked long ago notices, after creating its own link, that a higher one exists. Ownership depends neither on process
 * numbers nor on time.
 */
export async function takeLock(dataDir: string, role: HolderRole): Promise<FolderLock | Holder> {
  const folder = lockIn(dataDir);
  await mkdir(folder, { mode: 0o700 }).catch((error) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  for (;;) {
    const newest = newestLink(await readdir(folder));
    const holder = newest === 0 ? undefined : await findHolder(folder, String(newest));
    if (holder) return holder;
    const lock = await claim(folder, newest + 1, role);
    if (lock) return lock;
  }
}

/** Tries to become the holder with that number; undefined if another process was first. */
export async function claim(folder: string, number: number, role: HolderRole): Promise<FolderLock | undefined> {
  const name = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const link = join(folder, String(number));
  const address = await openSocketAddress(folder, name, 'listen');
  const announcer = await listen(address, role);
  const giveUp = async () => {
    await announcer?.close();
    await address.close();
  };
  if (!announcer) {
    await giveUp();
    return undefined;
  }
  try {
    await symlink(address.link, link);
    const entries = await readdir(folder);
    const newest = newestLink(entries);
    if (newest === number && (address.link !== name || entries.includes(name))) {
      await removeOthers(folder, [String(number), name]);
      return { announce: announcer.announce, release: giveUp };
    }
    // The highest link stays even without a socket: other processes count on from it.
    if (newest > number) await unlink(link).catch(() => {});
  } catch (error) {
    await giveUp();
    if (systemCode(error) === 'EEXIST') return undefined;
    throw error;
  }
  await giveUp();
  return undefined;
}

/** The live process behind a link; undefined if it has gone. */
async function findHolder(folder: string, link: string): Promise<Holder | undefined> {
  const target = await readlink(join(folder, link)).catch(() => undefined);
  if (target === undefined) return undefined;
  const address = await openSocketAddress(folder, target, 'connect');
  try {
    return await watchHolder(address.path, Number.parseInt(target.slice(target.lastIndexOf('/') + 1), 10));
  } finally {
    await address.close();
  }
}

function newestLink(entries: string[]): number {
  return Math.max(0, ...entries.filter((entry) => /^\d+$/.test(entry)).map(Number));
}

/** Removes the links and the dead sockets of earlier holders. */
async function removeOthers(folder: string, own: string[]): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (own.includes(entry)) continue;
    // A process that is claiming the folder right now has a socket, but may not listen yet.
    const mayLive = !/^\d+$/.test(entry) && isAlive(Number.parseInt(entry, 10));
    if (!mayLive) await rm(join(folder, entry), { force: true });
  }
}

interface Announcer {
  announce(connection: EmbeddedConnection | undefined): void;
  close(): Promise<void>;
}

/**
 * Tells everyone who connects, and again after each change, who holds the folder and how to reach the server. Undefined if
 * a holder that cannot see this process (in another container) has mistaken the new socket for a dead one.
 */
async function listen(address: SocketAddress, role: HolderRole): Promise<Announcer | undefined> {
  const peers = new Set<Socket>();
  let state: Announcement = { pid: process.pid, role, connection: undefined };
  const server: Server = createServer((peer) => {
    peers.add(peer);
    peer.on('error', () => {});
    peer.on('close', () => peers.delete(peer));
    peer.resume();
    peer.write(`${JSON.stringify(state)}\n`);
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // The folder keeps other users out; everyone who may enter it may connect.
      server.listen({ path: address.path, readableAll: true, writableAll: true }, resolve);
    });
  } catch (error) {
    server.close();
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }

  return {
    announce(connection) {
      state = { ...state, connection };
      for (const peer of peers) peer.write(`${JSON.stringify(state)}\n`);
    },
    close() {
      for (const peer of peers) peer.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
