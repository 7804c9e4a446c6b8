import { memoryOf } from '@hitherto/testing/proc';
import type { Trials } from '../row.ts';
import { told } from './told.ts';

const MOST_GROWTH = 1.2;

/** Follows the memory of a process over the trials: at the end it may be 1.2 times as large as at 10 %. */
export function watchMemory(pid: number, { count, isFull }: Trials) {
  const now = () => memoryOf(pid)?.now ?? 0;
  let early = 0;
  return {
    /** After each trial. */
    note(index: number): void {
      if (index + 1 === Math.ceil(count / 10)) early = now();
    },
    /** @throws if it has grown too much in a full run. A new process still grows; many requests show whether that goes on. */
    check(): string {
      const late = now();
      const found = told`${early} MB at 10 %, ${late} MB at the end`;
      if (isFull && early > 0 && late > MOST_GROWTH * early) throw new Error(`Memory grew: ${found}.`);
      return found;
    },
  };
}
