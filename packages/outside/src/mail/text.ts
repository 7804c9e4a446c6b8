import { printable } from '@hitherto/domain/format';
import type { ReportView } from './report-view.ts';

const COLUMNS = 72;
const INDENT = '  ';
const GAP = '  ';
const BAR_COLUMNS = 36;

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The characters that take two columns in terminals and fixed-width fonts: East Asian wide and full-width characters, and emoji. */
const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** A character of many code points (stacked accents) counts as at most this many columns, and is cut beyond. */
const MAX_CODE_POINTS = 8;

/** The report for programs that show text alone: aligned for a fixed-width font of 72 columns. */
export function renderText(view: ReportView): string {
  const blocks = [
    [view.address, view.period],
    view.notice === undefined ? [] : wrapped(view.notice, COLUMNS),
    figuresBlock(view),
    view.findings === undefined ? [] : wrapped(view.findings, COLUMNS),
    pointsBlock(view),
    annotationsBlock(view),
    goalsBlock(view),
    ...view.lists.map(listBlock),
    view.pageUrl === undefined ? [] : [`${view.locale.words.reports.all}:`, view.pageUrl],
    view.changeUrl === undefined ? [] : [`${view.locale.words.statistics.whyItChanged}:`, view.changeUrl],
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

function pointsBlock({ pointsTitle, points }: ReportView): string[] {
  const names = widest(points.map(({ name }) => name));
  const counts = widest(points.map(({ count }) => count ?? '-'));
  const rows = points.map(({ name, count, share }) => {
    const bar = '#'.repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * BAR_COLUMNS)));
    return [INDENT + padEnd(name, names), padStart(count ?? '-', counts), bar].join(GAP).trimEnd();
  });
  return [pointsTitle, ...rows];
}

function annotationsBlock({ locale, annotations, moreAnnotations }: ReportView): string[] {
  if (annotations.length === 0) return [];
  const days = widest(annotations.map(({ day }) => day));
  const rows = annotations.flatMap(({ day, text }) =>
    wrapped(text, COLUMNS - INDENT.length - days - GAP.length).map(
      (line, index) => INDENT + padEnd(index === 0 ? day : '', days) + GAP + line,
    ),
  );
  return [
    locale.words.reports.annotations,
    ...rows,
    ...(moreAnnotations === undefined ? [] : [INDENT + moreAnnotations]),
  ];
}

function listBlock({ title, rows }: ReportView['lists'][number]): string[] {
  const counts = widest(rows.map(({ count }) => count));
  const columns = COLUMNS - INDENT.length - counts - GAP.length;
  return [title, ...rows.map(({ value, count }) => INDENT + padStart(count, counts) + GAP + plainText(value, columns))];
}

function goalsBlock({ locale, goals, moreGoals }: ReportView): string[] {
  if (goals.length === 0) return [];
  const counts = widest(goals.map(({ value }) => value));
  const changes = widest(goals.map(({ change }) => change ?? ''));
  const isCompared = changes > 0;
  const before = INDENT.length + counts + GAP.length + (isCompared ? changes + GAP.length : 0);
  const rows = goals.flatMap(({ name, value, change = '', sum }) => {
    const start = [INDENT + padStart(value, counts), ...(isCompared ? [padEnd(change, changes)] : []), ''].join(GAP);
    const row = start + plainText(name, COLUMNS - before);
    return sum === undefined ? [row] : [row, `${' '.repeat(before)}${plainText(sum, COLUMNS - before)}`];
  });
  return [locale.words.reports.goals, ...rows, ...(moreGoals === undefined ? [] : [INDENT + moreGoals])];
}

function footerBlock({ locale, reason, unsubscribeUrl }: ReportView): string[] {
  const lines = wrapped(reason, COLUMNS);
  return unsubscribeUrl === undefined ? lines : [...lines, `${locale.words.reports.stop}:`, unsubscribeUrl];
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(widthOf));
}

/**
 * A string from outside on one line: harmful characters become U+FFFD, and a string wider than `columns` is cut with an
 * ellipsis.
 */
export function plainText(text: string, columns: number): string {
  const graphemes = firstGraphemes(printable(text), columns + 1);
  if (widthOf(graphemes.join('')) <= columns) return graphemes.join('');
  const kept: string[] = [];
  let width = 0;
  for (const grapheme of graphemes) {
    width += widthOfGrapheme(grapheme);
    if (width > columns - 1) break;
    kept.push(grapheme);
  }
  return `${kept.join('').trimEnd()}…`;
}

/** How many columns a text takes in a fixed-width font. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

/** The text with spaces behind it, `columns` wide. */
function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** The text with spaces before it, `columns` wide. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Words in lines of at most `columns`; a longer word has a line of its own. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** As many characters as can matter, each of at most {@link MAX_CODE_POINTS}. */
function firstGraphemes(text: string, count: number): string[] {
  const first: string[] = [];
  for (const { segment } of GRAPHEMES.segment(text)) {
    first.push([...segment].slice(0, MAX_CODE_POINTS).join(''));
    if (first.length > count) break;
  }
  return first;
}

function widthOfGrapheme(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) || grapheme.includes('\ufe0f') ? 2 : 1;
}
