import { printable } from '@hitherto/domain/format';
import type { Context } from './context.ts';

type Row = Readonly<Record<string, string | null>>;

/** Prints rows as a JSON array, or as a table for people. */
export function printList(context: Pick<Context, 'print' | 'tell'>, rows: readonly Row[], json: boolean): void {
  if (json) {
    context.print(`${JSON.stringify(rows, null, 2)}\n`);
    return;
  }
  const [first] = rows;
  if (first === undefined) {
    context.tell('There are none.\n');
    return;
  }
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => printable(row[name] ?? '-')))];
  const widths = names.map((_, column) => lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0));
  for (const line of lines) {
    context.print(
      `${line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}
