import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf } from '@hitherto/testing/proc';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dataFolder, emptyFolder, MAIN } from './support/program.ts';

// Only root may make a namespace without asking.
const canIsolate = process.platform === 'linux' && process.getuid?.() === 0;

/** Runs the program as process 1 of a namespace, as containers do, until its output has this text. */
async function runFirst(dataDir: string, until: string) {
  const args = ['--pid', '--fork', '--kill-child', '--mount-proc', process.execPath, MAIN, 'serve'];
  const env = { PATH: process.env.PATH ?? '', PORT: '0', DRAIN_SECONDS: '0', DATA_DIR: dataDir };
  const outer = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => {
    outer.kill('SIGKILL');
  });
  let output = '';
  for (const stream of [outer.stdout, outer.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  while (!output.includes(until) && outer.exitCode === null) await sleep(10);
  const [first = 0] = childrenOf(outer.pid ?? 0);
  return { first, ended: once(outer, 'exit').then(([code]) => code) };
}

describe.runIf(canIsolate)('as the first process of a container, the service', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ends at %s while it starts', async (signal) => {
    const { first, ended } = await runFirst(await emptyFolder(), 'preparing the database');

    process.kill(first, signal);

    expect(await ended).toBe(signal === 'SIGTERM' ? 143 : 130);
  });

  test('stops in order once it serves', async () => {
    const { first, ended } = await runFirst(await dataFolder(), '"msg":"ready"');

    process.kill(first, 'SIGTERM');

    expect(await ended).toBe(0);
  });
});
