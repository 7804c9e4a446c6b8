import type { LineReason, LogSummary } from '@hitherto/domain';

/** What the reasons mean, as a sentence goes on after a number of lines. */
const MEANINGS: Readonly<Record<LineReason, string>> = {
  method: 'ask for no page: another method than GET, or no request',
  static_file: 'are of files',
  status: 'have another status than a page that was delivered',
  bot: 'are of bots',
  excluded_ip: 'have an excluded address',
  foreign_host: 'name another host',
  spam_referrer: 'have a spam referrer',
  prefetch: 'are prefetches',
  unreadable: 'cannot be read',
  no_request: 'are headers or messages',
  unknown_host: 'name a host without a website',
  earlier: 'lie before the last line that was read, in a file that is not known: they may have been read',
  future: 'have a time in the future',
  too_old: 'are older than hits are kept',
};

/** The reasons whose lines are shown: something may have to be mended. */
const SHOWN: ReadonlySet<LineReason> = new Set(['unreadable', 'unknown_host', 'future']);

/** The summary for a person. */
export function describeSummary({ lines, hits, readBefore, left }: LogSummary): string {
  const reasons = [...left].sort(([, a], [, b]) => b.lines - a.lines);
  const parts = reasons.flatMap(([reason, { lines: count, examples }]) => [
    `  ${figure(count)} ${MEANINGS[reason]} (${reason})`,
    ...(SHOWN.has(reason) ? examples.map((example) => `    ${printable(example)}`) : []),
  ]);
  const before = readBefore === 0 ? '' : ` ${figure(readBefore)} lines had been read before.`;
  const head = `Read ${figure(lines)} new lines: ${figure(hits)} are pageviews.${before}`;
  return `${[head, ...(parts.length === 0 ? [] : ['Left out:', ...parts])].join('\n')}\n`;
}

/** The summary for programs. */
export function summaryJson({ lines, hits, readBefore, left }: LogSummary) {
  const skipped = [...left].map(([reason, { lines: count, examples }]) => ({ reason, lines: count, examples }));
  return { lines, hits, read_before: readBefore, skipped };
}

function figure(number: number): string {
  return number.toLocaleString('en');
}

/** A line of a log could steer a terminal. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}]/gu, '\ufffd');
}
