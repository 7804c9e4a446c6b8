import type { RebuildProgress } from '@hitherto/domain';

const BAR_WIDTH = 30;
const LINE_MS = 1_000;

/** Where progress is shown. */
export interface ProgressOutput {
  readonly tell: (text: string) => void;
  /** Whether `tell` writes to a terminal. */
  readonly isTerminal: boolean;
  readonly now: () => Date;
}

/** Shows progress: a bar that grows on a terminal, a line a second elsewhere. */
export function showProgress({ tell, isTerminal, now }: ProgressOutput): (progress: RebuildProgress) => void {
  let shownAt = now().getTime();
  return ({ done, total }) => {
    const share = total === 0 ? 1 : done / total;
    const figures = `${Math.floor(share * 100)} % (${done} of ${total} days)`;
    if (isTerminal) {
      const filled = '#'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
      tell(`\r[${filled}] ${figures}${done === total ? '\n' : ''}`);
      return;
    }
    const time = now().getTime();
    if (time - shownAt < LINE_MS) return;
    shownAt = time;
    tell(`${figures}\n`);
  };
}
