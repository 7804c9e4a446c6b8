import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Trials } from '../src/row.ts';
import { WATCHED_MEMORY, watchMemory } from '../src/support/memory.ts';

const TRIALS: Trials = {
  count: 20,
  isFull: true,
  patience: 1,
  watched: [],
  each: async () => {},
  open: async (opened) => opened,
  progress: () => {},
};

/** The trial that makes objects of 100 MB. */
const LARGE = 10;

/** It has 200 MB in use, makes the objects at `make`, and keeps them if its argument says so. */
const PROGRAM = `
  const inUse = Buffer.alloc(200_000_000, 1);
  let made = inUse;
  process.stdin.on('data', (line) => {
    if (String(line) === 'make') made = Array.from({ length: 1_000_000 }, (_, index) => ({ index, text: 'a' + index }));
    if (process.argv[1] !== 'keep') made = inUse;
    console.log('done');
  });
  console.log('ready');
`;

/** Watches the memory of a program over 20 trials. */
async function watch(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['-e', PROGRAM, ...args], {
    env: { ...process.env, ...WATCHED_MEMORY },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  const memory = watchMemory(child.pid ?? 0, TRIALS);
  for (let index = 0; index < TRIALS.count; index += 1) {
    child.stdin.write(index === LARGE ? 'make' : 'rest');
    await once(lines, 'line');
    memory.note(index);
  }
  return memory.check();
}

describe('the memory of a program', () => {
  test('has not grown by what V8 can collect', async () => {
    expect(await watch()).toMatch(/MB at the end$/);
  });

  test('has grown by what is in use', async () => {
    await expect(watch('keep')).rejects.toThrow('Memory grew');
  });
});
