import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { type Binaries, installedBinaries, runnableBinaries } from '../src/binaries.ts';
import { linkLibraries } from '../src/libraries.ts';
import { openForServer } from '../src/paths.ts';
import { chooseServerUser } from '../src/server-user.ts';
import { openWorld } from './world.ts';

const world = openWorld();
const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) {
    await chmod(folder, 0o755).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
  await world.close();
});

/** Stand-ins for the binaries; no link can be made in them, and root's PostgreSQL user cannot reach them. */
async function unreachableBinaries(program = 'exit 0'): Promise<Binaries> {
  const root = join(await world.folder(), 'native');
  for (const folder of ['bin', 'lib', 'share/postgresql']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'bin/postgres'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await writeFile(join(root, 'bin/initdb'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  await writeFile(join(root, 'lib/libé.so.1.2'), 'é');
  await writeFile(join(root, 'share/postgresql/postgres.bki'), '');
  const links = [{ source: 'native/lib/libé.so.1.2', target: 'native/lib/libé.so' }];
  await writeFile(join(root, 'pg-symlinks.json'), JSON.stringify(links));
  await chmod(join(root, 'lib'), 0o555);
  made.push(join(root, 'lib'));
  return { id: `test-${randomBytes(6).toString('hex')}`, root };
}

async function run(binaries: Binaries, dataDir: string): Promise<{ root: string; copied: boolean }> {
  const texts: string[] = [];
  const { root } = await runnableBinaries(
    binaries,
    dataDir,
    await chooseServerUser(join(dataDir, 'postgres')),
    (text) => texts.push(text),
  );
  if (root !== binaries.root) made.push(root);
  return { root, copied: texts.length > 0 };
}

describe('binaries', () => {
  test('that are missing for a platform cause an error that names DATABASE_URL', async () => {
    const refused = installedBinaries('sunos', 'sparc');

    await expect(refused).rejects.toMatchObject({
      code: 'no_binaries',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('that this machine cannot run cause an error that names DATABASE_URL', async () => {
    const binaries = await unreachableBinaries('echo "GLIBC_2.99 not found" >&2; exit 1');
    const dataDir = await world.folder();

    const refused = run(binaries, dataDir);

    await expect(refused).rejects.toMatchObject({
      code: 'no_binaries',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });

  test('can be linked by several processes at once', async () => {
    const { root: source } = await installedBinaries();
    const target = join(await world.folder(), 'native');
    await mkdir(join(target, 'lib'), { recursive: true });

    await Promise.all(Array.from({ length: 10 }, () => linkLibraries(source, target)));

    const links = await readdir(join(target, 'lib'));
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) await expect(readlink(join(target, 'lib', link))).resolves.not.toContain('/');
  });

  test('that the server’s user cannot reach are copied once and reused', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();

    const together = await Promise.all([run(binaries, dataDir), run(binaries, dataDir)]);
    const later = await run(binaries, dataDir);

    expect(new Set(together.map(({ root }) => root))).toEqual(new Set([later.root]));
    expect(later.root).not.toBe(binaries.root);
    expect(await readlink(join(later.root, 'lib/libé.so'))).toBe('libé.so.1.2');
    expect(later.copied).toBe(false);
  });

  test('are copied again if the copy has lost a file', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();
    const first = await run(binaries, dataDir);
    await rm(join(first.root, 'share/postgresql/postgres.bki'));

    const second = await run(binaries, dataDir);

    expect(second).toEqual({ root: first.root, copied: true });
    expect((await lstat(join(second.root, 'share/postgresql/postgres.bki'))).isFile()).toBe(true);
  });

  test('are not used from a copy that others can write to', async () => {
    const binaries = await unreachableBinaries();
    const dataDir = await world.folder();
    const first = await run(binaries, dataDir);
    await chmod(first.root, 0o777);

    const second = await run(binaries, dataDir);

    expect(second.root).not.toBe(first.root);
  });
});

describe('binaries in a read-only folder', () => {
  test('run in place: only links between their libraries are in the data folder', async () => {
    const { code, dataDir, root } = await readOnlyInstallation();

    const found = await runAsOrdinaryUser(code, root, dataDir);

    expect(found.root).toBe(root);
    expect(found.texts).toEqual([]);
    expect(await readdir(dataDir)).toEqual(['postgres-libraries']);
  });

  test('run after an update to another folder', async () => {
    const { code, dataDir, root } = await readOnlyInstallation();
    await runAsOrdinaryUser(code, root, dataDir);
    const moved = `${root} 2/native`;
    await mkdir(dirname(moved));
    await rename(root, moved);

    const found = await runAsOrdinaryUser(code, moved, dataDir);

    expect(found).toEqual({ root: moved, texts: [] });
  });
});

/** The real binaries, without links, and the built code, in folders that an ordinary user can read, and a folder that it can write to. */
async function readOnlyInstallation(): Promise<{ code: string; dataDir: string; root: string }> {
  const folder = await world.folder();
  await chmod(folder, 0o755);
  const [code, root, dataDir] = [join(folder, 'code'), join(folder, 'native'), join(folder, 'data')];
  await cp(fileURLToPath(new URL('../dist', import.meta.url)), code, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const installed = await installedBinaries();
  const isFile = async (path: string) => !(await lstat(path)).isSymbolicLink();
  await cp(installed.root, root, { recursive: true, filter: isFile });
  await mkdir(dataDir);
  await chmod(dataDir, 0o777);
  await chmod(join(root, 'lib'), 0o555);
  made.push(join(root, 'lib'));
  return { code, dataDir, root };
}

/** Root could write anywhere, so another user finds the binaries. */
async function runAsOrdinaryUser(
  code: string,
  root: string,
  dataDir: string,
): Promise<{ root: string; texts: string[] }> {
  const program = `
    const { runnableBinaries } = await import(${JSON.stringify(`${code}/binaries.js`)});
    const texts = [];
    const installed = { id: 'test', root: ${JSON.stringify(root)} };
    const { root } = await runnableBinaries(installed, ${JSON.stringify(dataDir)}, undefined, (text) => texts.push(text));
    process.stdout.write(JSON.stringify({ root, texts }));`;
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    ...nobody,
  });
  return JSON.parse(stdout);
}

describe('a folder that another user’s PostgreSQL cannot enter', () => {
  test('is rejected if it cannot be handed over, with a suggestion for another', async () => {
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
