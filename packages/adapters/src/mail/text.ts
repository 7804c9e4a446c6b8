import { padEnd, padStart, plainText, widthOf, wrapped } from './plain-text.ts';
import type { ReportView } from './report-view.ts';

const COLUMNS = 72;
const INDENT = '  ';
const GAP = '  ';
const BAR_COLUMNS = 36;

/** The report for programs that show text alone: aligned for a fixed-width font of 72 columns. */
export function renderText(view: ReportView): string {
  const blocks = [
    [view.address, view.week],
    view.notice === undefined ? [] : wrapped(view.notice, COLUMNS),
    figuresBlock(view),
    daysBlock(view),
    ...view.lists.map(listBlock),
    view.pageUrl === undefined ? [] : ['All statistics:', view.pageUrl],
    wrapped(view.definition, COLUMNS),
    footerBlock(view),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function figuresBlock({ figures }: ReportView): string[] {
  const names = widest(figures.map(({ name }) => name));
  const values = widest(figures.map(({ value }) => value));
  return figures.map(({ name, value, change }) =>
    [INDENT + padEnd(name, names), padStart(value, values), change ?? ''].join(GAP).trimEnd(),
  );
}

function daysBlock({ days }: ReportView): string[] {
  const names = widest(days.map(({ name }) => name));
  const counts = widest(days.map(({ count }) => count ?? '-'));
  const rows = days.map(({ name, count, share }) => {
    const bar = '#'.repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * BAR_COLUMNS)));
    return [INDENT + padEnd(name, names), padStart(count ?? '-', counts), bar].join(GAP).trimEnd();
  });
  return ['Visitors by day', ...rows];
}

function listBlock({ title, rows }: ReportView['lists'][number]): string[] {
  const counts = widest(rows.map(({ count }) => count));
  const columns = COLUMNS - INDENT.length - counts - GAP.length;
  return [
    `${title} by visitors`,
    ...rows.map(({ value, count }) => INDENT + padStart(count, counts) + GAP + plainText(value, columns)),
  ];
}

function footerBlock({ address, unsubscribeUrl }: ReportView): string[] {
  const reason = wrapped(`You get this mail because weekly reports are on for ${address}.`, COLUMNS);
  return unsubscribeUrl === undefined ? reason : [...reason, 'Stop these reports:', unsubscribeUrl];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(widthOf));
}
