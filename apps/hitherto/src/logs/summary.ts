import { countOf, printable } from '@hitherto/domain/format';
import { type Import, type LineReason, type LogSummary, newLogSummary, notesOf } from '@hitherto/domain/imports';
import { ENGLISH } from '@hitherto/words';
import type { Context } from '../cli/context.ts';

const MAX_EXAMPLES = 3;

/** The reasons whose lines are shown: something may have to be mended. */
const SHOWN: ReadonlySet<LineReason> = new Set(['faulty', 'unknown_host', 'future']);

/** Writes the summary of logs, for a person or a program. */
export function tellSummary(
  context: Pick<Context, 'print' | 'tell'>,
  summaries: readonly LogSummary[],
  imports: readonly Import[],
  { json }: { readonly json?: true },
): void {
  const summary = sumOf(summaries);
  const done = imports.filter(({ status }) => status === 'done');
  if (json) context.print(`${JSON.stringify(summaryJson(summary, done))}\n`);
  else context.tell(describeSummary(summary, done));
}

function sumOf(summaries: readonly LogSummary[]): LogSummary {
  const sum = newLogSummary();
  for (const { lines, hits, readBefore, left, addresses, unfinished } of summaries) {
    for (const address of addresses) sum.addresses.add(address);
    for (const path of unfinished) sum.unfinished.add(path);
    sum.lines += lines;
    sum.hits += hits;
    sum.readBefore += readBefore;
    for (const [reason, found] of left) {
      const known = sum.left.get(reason) ?? { lines: 0, place: found.place, examples: [] };
      const examples = [...known.examples, ...found.examples].slice(0, MAX_EXAMPLES);
      sum.left.set(reason, { ...known, lines: known.lines + found.lines, examples });
    }
  }
  return sum;
}

function describeSummary(summary: LogSummary, imports: readonly Import[]): string {
  const { lines, hits, readBefore, left } = summary;
  const reasons = [...left].sort(([, a], [, b]) => b.lines - a.lines);
  const parts = reasons.flatMap(([reason, { lines: count, examples }]) => [
    `  ${countOf(count, 'line', 'lines')} ${ENGLISH.words.reasons[reason].rows} (${reason})`,
    ...(SHOWN.has(reason) ? examples.map((example) => `    ${printable(example)}`) : []),
  ]);
  const before = readBefore === 0 ? '' : ` ${figure(readBefore)} lines had been read before.`;
  const head = `Read ${countOf(lines, 'new line', 'new lines')}: ${countOf(hits, 'is a pageview', 'are pageviews')}.${before}`;
  const tail = imports.map(({ id }) => `To remove them again, delete import ${id}.`);
  return `${[head, ...(parts.length === 0 ? [] : ['Left out:', ...parts]), ...notesOf(summary).map(printable), ...tail].join('\n')}\n`;
}

function summaryJson(summary: LogSummary, imports: readonly Import[]) {
  const { lines, hits, readBefore, left } = summary;
  const skipped = [...left].map(([reason, { lines: count, examples }]) => ({ reason, lines: count, examples }));
  const ids = imports.map(({ id }) => id);
  return { imports: ids, lines, hits, read_before: readBefore, skipped, notes: notesOf(summary) };
}

function figure(number: number): string {
  return number.toLocaleString('en');
}
