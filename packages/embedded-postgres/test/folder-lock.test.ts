import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Holder, watchHolder } from '../src/holder.ts';
import type { FolderLock } from '../src/lock.ts';
import { claim, takeLock } from '../src/lock.ts';
import { openWorld } from './world.ts';

const world = openWorld();

afterEach(() => world.close());
afterAll(() => world.closeAll());

describe('the lock of a folder', () => {
  test('is free if its holder closes the connection without a response, because it is just ending', async () => {
    const dataDir = await world.folder();
    const lock = join(dataDir, 'lock');
    await mkdir(lock);
    const name = `${process.pid}-0123456789ab`;
    const ending = createServer((peer) => peer.destroy()).listen(join(lock, name));
    await once(ending, 'listening');
    await symlink(name, join(lock, '1'));

    const outcome = await takeLock(dataDir, 'service');
    ending.close();

    if (!('release' in outcome)) expect.fail(`it is held by ${outcome.pid}`);
    await outcome.release();
  });

  test('is free if its holder ends before it accepts the connection', async () => {
    const socket = join(await world.folder(), 'socket');
    const ending = createServer().listen(socket);
    await once(ending, 'listening');

    const watching = watchHolder(socket, process.pid);
    ending.close();

    expect(await watching).toBeUndefined();
  });

  test('goes to one of many concurrent callers, every time', async () => {
    const dataDir = await world.folder();

    for (let round = 0; round < 5; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => takeLock(dataDir, 'service')));

      const locks = outcomes.filter((outcome): outcome is FolderLock => 'release' in outcome);
      const holders = outcomes.filter((outcome): outcome is Holder => !('release' in outcome));
      expect(locks).toHaveLength(1);
      expect(new Set(holders.map(({ pid }) => pid))).toEqual(new Set([process.pid]));
      for (const holder of holders) holder.close();
      await locks[0]?.release();
    }
  });

  test('is free after its holder was killed, and what the holder left is removed', async () => {
    const dataDir = await world.prepared();
    for (let round = 0; round < 2; round += 1) {
      const holder = world.holder('service', dataDir);
      await holder.next('ready');
      await holder.kill();
    }

    const lock = await takeLock(dataDir, 'service');

    expect('release' in lock).toBe(true);
    expect(await readdir(join(dataDir, 'lock'))).toEqual(
      expect.arrayContaining(['3', expect.stringMatching(`^${process.pid}-`)]),
    );
    expect(await readdir(join(dataDir, 'lock'))).toHaveLength(2);
    if ('release' in lock) await lock.release();
  });

  test('is not given to a process with an outdated number', async () => {
    const dataDir = await world.folder();
    await mkdir(join(dataDir, 'lock'));
    await symlink('1-gone', join(dataDir, 'lock/5'));

    const late = await claim(join(dataDir, 'lock'), 3, 'service');

    expect(late).toBe(undefined);
    expect(await readdir(join(dataDir, 'lock'))).toEqual(['5']);
  });

  test('can be taken despite a file that a crash left in its place', async () => {
    const dataDir = await world.folder();
    await mkdir(join(dataDir, 'lock'));
    await writeFile(join(dataDir, 'lock/4'), '');

    const lock = await takeLock(dataDir, 'service');

    expect('release' in lock).toBe(true);
    if ('release' in lock) await lock.release();
  });
});
