import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from '@hitherto/testing/machine';
import { childrenOf, isRunning, postmasterOf } from '@hitherto/testing/proc';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dataFolder, emptyFolder, MAIN } from './support/program.ts';

interface Started {
  readonly npm: ChildProcess;
  /** Its own pid names the group of processes, as a terminal's does. */
  readonly pid: number;
  /** The folder of its `package.json`. */
  readonly folder: string;
  /** The program and its PostgreSQL. */
  readonly served: readonly number[];
  output(): string;
}

/**
 * Runs `npm start` on a program that is built already, which it says when asked to build it, with settings in the file `.env`, and
 * waits until it is ready.
 */
async function npmStart(settings: Record<string, string> = {}): Promise<Started> {
  const [folder, dataDir] = [await emptyFolder(), await dataFolder()];
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'started', private: true, scripts }));
  await mkdir(join(folder, 'scripts'));
  await copyFile(join(root, 'scripts/hitherto.mjs'), join(folder, 'scripts/hitherto.mjs'));
  await writeFile(
    join(folder, 'scripts/build.mjs'),
    `export const build = async () => console.error('Built.') ?? ${JSON.stringify(MAIN)};\n`,
  );
  const lines = Object.entries({ PORT: '0', DRAIN_SECONDS: '0', DATA_DIR: dataDir, ...settings });
  await writeFile(join(folder, '.env'), lines.map(([name, value]) => `${name}=${value}\n`).join(''));
  const env = { PATH: process.env.PATH ?? '', HOME: folder };
  const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const pid = npm.pid ?? 0;
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const served: number[] = [];
  onTestFinished(() => {
    for (const each of [pid, ...served].filter(isRunning)) process.kill(each, 'SIGKILL');
  });
  while (!output.includes('"msg":"ready"')) {
    if (npm.exitCode !== null) throw new Error(`npm ended:\n${output}`);
    await sleep(20);
  }
  served.push(...childrenOf(pid), postmasterOf(dataDir));
  return { npm, pid, folder, served, output: () => output };
}

/** Waits until none of these runs. */
async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await sleep(20);
}

describe('what npm start has started', () => {
  test('is found by a command, in a folder below too: both read .env', async () => {
    const { folder } = await npmStart();

    const { stdout } = await promisify(execFile)(
      'npm',
      ['run', '--silent', 'hitherto', '--', 'keys', 'create', '--account', 'default'],
      { cwd: join(folder, 'scripts'), env: { PATH: process.env.PATH ?? '', HOME: folder } },
    );

    expect(stdout).toMatch(/^hto_\w+\n$/);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('stops in order when npm alone gets %s', async (signal) => {
    const { npm, served } = await npmStart();

    npm.kill(signal);
    const [code] = await once(npm, 'close');

    expect(code).toBe(0);
    expect(served.filter(isRunning)).toEqual([]);
  });

  test('stops in order when a terminal sends SIGINT to all processes, and npm sends it again', async () => {
    const { npm, pid, served } = await npmStart();

    process.kill(-pid, 'SIGINT');
    await sleep(30);
    npm.kill('SIGINT');
    const [code] = await once(npm, 'close');

    expect(code).toBe(0);
    expect(served.filter(isRunning)).toEqual([]);
  });

  test('stops when npm is killed', async () => {
    const { npm, served } = await npmStart();

    npm.kill('SIGKILL');

    await expect(untilGone(served)).resolves.toBeUndefined();
  });

  test('is built once, and not again by its workers', async () => {
    const { npm, output } = await npmStart({ WORKERS: '2' });

    while (output().split('"msg":"ready"').length < 3) await sleep(20);
    npm.kill('SIGTERM');
    const [code] = await once(npm, 'close');

    expect(code).toBe(0);
    expect(output().match(/Built\./g)).toHaveLength(1);
  });
});
