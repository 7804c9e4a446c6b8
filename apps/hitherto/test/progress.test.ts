import { describe, expect, test } from 'vitest';
import { showProgress } from '../src/cli/progress.ts';

/** Shows progress of 4 days, of which one is done every 400 ms, and returns the output. */
function shown(isTerminal: boolean): string[] {
  const output: string[] = [];
  let time = Date.parse('2026-11-22T12:00:00Z');
  const show = showProgress({ tell: (text) => output.push(text), isTerminal, now: () => new Date(time) }, 'days');
  for (let done = 0; done <= 4; done += 1) {
    show({ done, total: 4 });
    time += 400;
  }
  return output;
}

describe('progress', () => {
  test('is a bar that grows on a terminal', () => {
    expect(shown(true)).toEqual([
      '\r[------------------------------] 0 % (0 of 4 days)',
      '\r[#######-----------------------] 25 % (1 of 4 days)',
      '\r[###############---------------] 50 % (2 of 4 days)',
      '\r[######################--------] 75 % (3 of 4 days)',
      '\r[##############################] 100 % (4 of 4 days)\n',
    ]);
  });

  test('is at most a line a second elsewhere', () => {
    expect(shown(false)).toEqual(['75 % (3 of 4 days)\n']);
  });

  test('of nothing is complete', () => {
    const output: string[] = [];

    showProgress(
      { tell: (text) => output.push(text), isTerminal: true, now: () => new Date() },
      'days',
    )({ done: 0, total: 0 });

    expect(output.join('')).toContain('100 % (0 of 0 days)\n');
  });
});
