const BAR_WIDTH = 30;
const LINE_MS = 1_000;
/** How often a bar is drawn. */
const BAR_MS = 100;

/** Where progress is shown. */
interface ProgressOutput {
  readonly tell: (text: string) => void;
  /** Whether `tell` writes to a terminal. */
  readonly isTerminal: boolean;
  readonly now: () => Date;
}

/** How far long work is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Shows progress: a bar that grows on a terminal, a line a second elsewhere. */
export function showProgress(
  { tell, isTerminal, now }: ProgressOutput,
  unit: 'days' | 'rows' | 'lines' | 'hits',
): (progress: Progress) => void {
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now().getTime();
  return ({ done, total }) => {
    const time = now().getTime();
    if (time - shownAt < (isTerminal ? BAR_MS : LINE_MS) && !(isTerminal && done === total)) return;
    shownAt = time;
    const share = total === 0 ? 1 : done / total;
    const figures = `${Math.floor(share * 100)} % (${done} of ${total} ${unit})`;
    if (isTerminal) {
      const filled = '#'.repeat(Math.floor(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '-');
      tell(`\r[${filled}] ${figures}${done === total ? '\n' : ''}`);
      return;
    }
    tell(`${figures}\n`);
  };
}
