import type { Target } from './target.ts';

/** A table of Markdown; the formatter aligns it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function targetTable(targets: readonly Target[]): string {
  return table(
    ['Figure', 'Must', 'Aim', 'Reached', 'Met'],
    targets.map(({ figure, must, aim, reached, holds }) => [
      figure,
      must,
      aim,
      reached,
      holds === undefined ? '–' : holds ? 'yes' : '**no**',
    ]),
  );
}

/** A whole number with separators. */
export function whole(value: number): string {
  return Number.isNaN(value) ? '–' : Math.round(value).toLocaleString('en');
}
