import type { ImportProgress } from '@hitherto/domain/imports';
import type { Context } from '../cli/context.ts';
import { showProgress } from '../cli/progress.ts';

/** Shows the progress of an import. */
export function progressOf(context: Context, unit: 'rows' | 'lines'): (progress: ImportProgress) => void {
  const show = showProgress(context, unit);
  let isTold = false;
  return ({ waits, rows, share }) => {
    if (waits) {
      if (!isTold) context.tell('Waiting for other imports to end …\n');
      isTold = true;
      return;
    }
    // How many rows there are is known at the end.
    show({ done: rows, total: share === 1 ? rows : Math.max(rows + 1, Math.round(rows / Math.max(share, 0.001))) });
  };
}
