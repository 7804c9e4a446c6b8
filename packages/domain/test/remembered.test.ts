import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { remembered, rememberingStrings } from '../src/base/remembered.ts';

/** The memory that is still used when all garbage is collected, in MiB. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Parts of texts of 1 MiB each. */
function* partsOfLongTexts(): Generator<string> {
  for (let text = 0; text < 50; text += 1) {
    const long = Buffer.from(`${String(text).padEnd(20, '-')}${'x'.repeat(2 ** 20)}`).toString();
    yield long.slice(0, 20);
  }
}

describe('remembered values', () => {
  it('do not keep the texts in memory that their keys are parts of', () => {
    const known = new Map<string, number>();
    const before = usedMemory();

    for (const part of partsOfLongTexts()) remembered(known, part, 1_000, () => 1);

    expect(usedMemory() - before).toBeLessThan(10);
    expect(known.size).toBe(50);
  });

  it('do not keep them either if they are parts themselves', () => {
    const read = rememberingStrings((text) => text.slice(1), 1_000);
    const before = usedMemory();

    for (const part of partsOfLongTexts()) read(part);

    expect(usedMemory() - before).toBeLessThan(10);
    expect(read('a')).toBe('');
  });
});
