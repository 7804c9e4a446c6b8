import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Binaries, installedBinaries, linkLibraries, runnableBinaries } from '../src/embedded/binaries.ts';
import { openForServer } from '../src/embedded/folder-for-server.ts';
import { chooseServerUser } from '../src/embedded/server-user.ts';
import { openWorld } from './embedded-world.ts';

const world = openWorld();
const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
  await world.close();
});

/** Binaries without links, in which an ordinary user cannot make any and which root's PostgreSQL user cannot reach. */
async function unreachableBinaries(): Promise<Binaries> {
  const installed = await installedBinaries();
  const root = join(await world.folder(), 'native');
  const isLink = async (path: string) => (await lstat(path)).isSymbolicLink();
  await cp(installed.root, root, { recursive: true, filter: async (path) => !(await isLink(path)) });
  await chmod(join(root, 'lib'), 0o555);
  made.push(root);
  return { id: `test-${randomBytes(6).toString('hex')}`, root };
}

async function run(binaries: Binaries, dataDir: string): Promise<{ root: string; copied: boolean }> {
  const texts: string[] = [];
  const root = await runnableBinaries(binaries, dataDir, await chooseServerUser(join(dataDir, 'postgres')), (text) =>
    texts.push(text),
  );
  if (root !== binaries.root) made.push(root);
  return { root, copied: texts.length > 0 };
}

describe('binaries', () => {
  test('missing for a platform are an error that names DATABASE_URL', async () => {
    const refused = installedBinaries('sunos', 'sparc');

    await expect(refused).rejects.toMatchObject({
      code: 'no_binaries',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('that this machine cannot run are an error that names DATABASE_URL', async () => {
    const root = join(await world.folder(), 'native');
    await mkdir(root);
    const installed = await installedBinaries();
    await cp(join(installed.root, 'pg-symlinks.json'), join(root, 'pg-symlinks.json'));
    await mkdir(join(root, 'lib'));

    const refused = run({ id: `test-${randomBytes(6).toString('hex')}`, root }, await world.folder());

    await expect(refused).rejects.toMatchObject({
      code: 'no_binaries',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('get their links from several processes at once', async () => {
    const { root: source } = await installedBinaries();
    const target = join(await world.folder(), 'native');
    await mkdir(join(target, 'lib'), { recursive: true });

    await Promise.all(Array.from({ length: 10 }, () => linkLibraries(source, target)));

    const links = await readdir(join(target, 'lib'));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) await expect(readlink(join(target, 'lib', link))).resolves.not.toContain('/');
  });

  test('out of reach are copied once, by whoever comes first, and used again', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();

    const together = await Promise.all([run(binaries, dataDir), run(binaries, dataDir)]);
    const later = await run(binaries, dataDir);

    expect(new Set(together.map(({ root }) => root))).toEqual(new Set([later.root]));
    expect(later.root).not.toBe(binaries.root);
    expect(later.copied).toBe(false);
  });

  test('of a copy that has lost a file are copied anew', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();
    const first = await run(binaries, dataDir);
    await rm(join(first.root, 'share/postgresql/postgres.bki'));

    const second = await run(binaries, dataDir);

    expect(second).toEqual({ root: first.root, copied: true });
    expect((await lstat(join(second.root, 'share/postgresql/postgres.bki'))).isFile()).toBe(true);
  });

  test('of a copy into which others can write are not trusted', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();
    const first = await run(binaries, dataDir);
    await chmod(first.root, 0o777);

    const second = await run(binaries, dataDir);

    expect(second.root).not.toBe(first.root);
  });
});

describe('a folder that another user’s PostgreSQL cannot enter', () => {
  test('is refused where it cannot be handed over, with one that would do', async () => {
    const folder = await world.folder();
    const isRoot = process.getuid?.() === 0;
    await chmod(folder, isRoot ? 0o700 : 0o000);
    const user = { uid: isRoot ? 65534 : (process.getuid?.() ?? -1), gid: isRoot ? 65534 : (process.getgid?.() ?? -1) };

    const refused = openForServer(folder, user, 3, 'darwin');

    await expect(refused).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('/usr/local/var/hitherto'),
    });
  });
});
