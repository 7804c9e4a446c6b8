import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '@hitherto/testing/machine';
import { beforeEach, expect, test } from 'vitest';
import { emptyFolder } from './support/program.ts';

const PACKAGES = { 'packages/domain': '{"name":"d"}', 'apps/hitherto': '{"dependencies":{"d":"workspace:*"}}' };

/** Stands for pnpm: it notes when it begins and ends, and "builds" a program. */
const PNPM = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('calls', 'begin\\n');
setTimeout(() => {
  appendFileSync('calls', 'end\\n');
  mkdirSync('apps/hitherto/dist', { recursive: true });
  writeFileSync('apps/hitherto/dist/main.js', 'console.log("served")');
}, 500);
`;
const LOCK = { packages: { 'node_modules/pnpm': { version: '1.2.3' } } };

let folder: string;

beforeEach(async () => {
  folder = await emptyFolder();
  for (const [name, manifest] of Object.entries(PACKAGES)) {
    await mkdir(join(folder, name, 'src'), { recursive: true });
    await writeFile(join(folder, name, 'package.json'), manifest);
    for (const file of ['tsconfig.build.json', 'src/index.ts']) await writeFile(join(folder, name, file), '{}');
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.base.json', 'turbo.json']) {
    await writeFile(join(folder, file), '');
  }
  await mkdir(join(folder, 'scripts'));
  for (const file of ['hitherto.mjs', 'build.mjs', 'pnpm.mjs']) {
    await copyFile(join(root, 'scripts', file), join(folder, 'scripts', file));
  }
  const pnpm = join(folder, 'scripts/pnpm');
  await mkdir(join(pnpm, 'node_modules/pnpm/bin'), { recursive: true });
  await writeFile(join(pnpm, 'package-lock.json'), JSON.stringify(LOCK));
  await writeFile(join(pnpm, 'node_modules/pnpm/package.json'), JSON.stringify(LOCK.packages['node_modules/pnpm']));
  await writeFile(join(pnpm, 'node_modules/pnpm/bin/pnpm.cjs'), PNPM);
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the folder. */
async function hitherto(): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, ['scripts/hitherto.mjs'], { cwd: folder, env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

const calls = async () => (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');

test('of commands that start at once, one installs and builds, and the others wait for it', async () => {
  const results = await Promise.all([hitherto(), hitherto(), hitherto()]);

  expect(results.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, 'served\n']));
  expect(results.filter(({ stderr }) => stderr.includes('Waiting for another command'))).toHaveLength(2);
  expect(await calls()).toEqual(['begin', 'end', 'begin', 'end']);
});

test('a changed source of a package that the program uses is built', async () => {
  await hitherto();
  await hitherto();
  await writeFile(join(folder, 'packages/domain/src/index.ts'), 'changed');

  const { code } = await hitherto();

  expect(code).toBe(0);
  expect(await calls()).toEqual(Array(4).fill(['begin', 'end']).flat());
});

test('a command that was killed while it built does not block the next one', async () => {
  const killed = spawn(process.execPath, ['-e', '']);
  await once(killed, 'close');
  await writeFile(join(folder, '.hitherto-build.lock'), String(killed.pid));

  const { code, stdout } = await hitherto();

  expect([code, stdout]).toEqual([0, 'served\n']);
});
