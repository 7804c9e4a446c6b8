import { memoryOf } from '@hitherto/testing/proc';
import type { Trials } from '../row.ts';
import { withNumbers } from './numbers-text.ts';

const MOST_GROWTH = 1.2;
/** Always the built file, since the program runs on every supported Node.js. */
const COLLECTOR = new URL('../../dist/support/collect-garbage.js', import.meta.url);

/** Settings of a program whose memory is watched. */
export const WATCHED_MEMORY = { NODE_OPTIONS: `--expose-gc --import ${COLLECTOR.href}` };

/**
 * Follows the memory of a program over the trials: at the end it may be 1.2 times as large as at 10 %. Each is the lowest value
 * in 5 % of the trials. V8 alone would let garbage grow to twice the memory in use, over more requests than 5 % have.
 *
 * @param pid of a program with `WATCHED_MEMORY`
 */
export function watchMemory(pid: number, { count, isFull }: Trials) {
  const now = () => memoryOf(pid)?.now ?? 0;
  const isBetween = (done: number, first: number, last: number) => done > first * count && done <= last * count;
  let early = Number.POSITIVE_INFINITY;
  let late = Number.POSITIVE_INFINITY;
  return {
    /** After each trial. The garbage of this one is collected before the next note. */
    note(index: number): void {
      if (isBetween(index + 1, 0.05, 0.1)) early = Math.min(early, now());
      if (isBetween(index + 1, 0.95, 1)) late = Math.min(late, now());
      process.kill(pid, 'SIGWINCH');
    },
    /** @throws if it has grown too much in a full run. A new process still grows; many requests show whether that goes on. */
    check(): string {
      const found = withNumbers`${early} MB at 10 %, ${late} MB at the end`;
      if (isFull && late > MOST_GROWTH * early) throw new Error(`Memory grew: ${found}.`);
      return found;
    },
  };
}
