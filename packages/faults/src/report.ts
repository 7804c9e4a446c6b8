import { readFileSync } from 'node:fs';
import { writeFormatted } from '@hitherto/testing/formatted';
import { root } from '@hitherto/testing/machine';
import { readResult } from './results.ts';
import { ROWS } from './rows.ts';

const DOCUMENT = `${root}docs/reliability.md`;
const BEGIN = '<!-- made by npm run faults: begin -->';
const END = '<!-- made by npm run faults: end -->';

/** Writes the table of the saved results into docs/reliability.md. */
export function writeTable(): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`${DOCUMENT} has no markers for the table.`);
  writeFormatted(DOCUMENT, `${text.slice(0, begin)}${BEGIN}\n\n${tableOf()}\n\n${text.slice(end)}`);
}

function tableOf(): string {
  const results = ROWS.flatMap((row) => readResult(row.name) ?? []);
  const runs = new Set(
    results.map(
      ({ date, commit, node, postgres, machine }) =>
        `${date}, commit ${commit}, Node ${node}, PostgreSQL ${postgres}, ${machine}`,
    ),
  );
  const lines = ROWS.map((row) => {
    const result = readResult(row.name);
    const n = result === undefined ? 'not run' : `${result.n.toLocaleString('en')} ${row.unit}`;
    // A row that sums up the others has no trials of its own.
    const bound = result?.holds && row.isSum !== true ? `≤ ${percent(3 / result.n)}` : '';
    const found =
      result === undefined
        ? ''
        : `${result.holds ? '' : '**broken**: '}${result.found.replaceAll('\n', ' ').replaceAll('|', '\\|')}`;
    const seed = result === undefined ? '' : String(result.seed);
    return `| ${row.isTested === true ? '• ' : ''}\`${row.name}\` | ${row.what} | ${row.required} | ${n} | ${found} | ${bound} | ${seed} |`;
  });
  return [
    ...[...runs].map((run) => `- ${run}`),
    '',
    '| Row | Fault | Required | n | Observed | Failure rate, 95 % | Seed |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}

function percent(rate: number): string {
  return `${Number((rate * 100).toPrecision(2))} %`;
}
