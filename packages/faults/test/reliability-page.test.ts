import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readResult } from '../src/results.ts';
import type { Row } from '../src/row.ts';
import { ROWS } from '../src/rows.ts';

const page = readFileSync(new URL('../../../docs/reliability.md', import.meta.url), 'utf8');

/** The cells of a row that follow from the code and the last result: whether `npm test` runs it, and how often it ran. */
function cellsOf({ name, unit, isTested }: Row): readonly [mark: string, n: string] {
  const n = readResult(name)?.n.toLocaleString('en');
  return [isTested ? '• ' : '', n === undefined ? '–' : `${n} ${unit}`];
}

test('docs/reliability.md has each row of the fault suite, with the number of trials of its last result', () => {
  const documented = page.matchAll(/^\| (• )?`([\w-]+)` +\| [^|]+ \| [^|]+ \| ([^|]+?) +\|$/gm);

  const cells = [...documented].map(([, mark = '', name = '', n = '']) => [name, [mark, n]]);

  expect(Object.fromEntries(cells)).toEqual(Object.fromEntries(ROWS.map((row) => [row.name, cellsOf(row)])));
});

test('every saved result of the fault suite holds', () => {
  const broken = ROWS.filter(({ name }) => readResult(name)?.holds === false);

  expect(broken.map(({ name }) => name)).toEqual([]);
});
