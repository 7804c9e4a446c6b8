import type { Target } from './target.ts';

/** Targets as a table for a terminal, without those that were not measured. */
export function summaryOf(targets: readonly Target[]): string {
  const rows = targets
    .filter(({ holds }) => holds !== undefined)
    .map(({ figure, must, aim, reached, holds }) => [figure, must, aim, reached, holds ? 'holds' : 'MISSED']);
  const all = [['figure', 'must', 'aim', 'reached', ''], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
