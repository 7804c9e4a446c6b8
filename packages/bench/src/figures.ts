import { writeFileSync } from 'node:fs';
import { describeMachine, root } from '@hitherto/testing/machine';

/** A bound that a figure has to keep, and a better one to aim for. */
export interface Target {
  readonly sign: '≥' | '≤';
  readonly must: number;
  readonly aim: number | undefined;
}

export const atLeast = (must: number, aim?: number): Target => ({ sign: '≥', must, aim });
export const atMost = (must: number, aim?: number): Target => ({ sign: '≤', must, aim });

/** The median and the range of the measured values; its target is kept if the median keeps it. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly n: number;
  readonly target?: Target;
  readonly isMet?: boolean;
}

/** Percentiles to add, and their targets. */
export type Percents = Readonly<Record<number, Target | undefined>>;

/** The figures of one part of the benchmark. */
export interface Figures {
  /** Adds values; without any it adds nothing. */
  add(name: string, unit: string, values: readonly number[], target?: Target): void;
  /** Adds the ratios of values to others that were measured in the same rounds. */
  ratio(name: string, values: readonly number[], others: readonly number[], target?: Target): void;
  /** Adds percentiles of times in milliseconds. */
  times(name: string, times: readonly number[], percents: Percents): void;
  readonly all: readonly Figure[];
}

/** Starts with no figures; `progress` shows each one that is added. */
export function createFigures(progress: (text: string) => void): Figures {
  const all: Figure[] = [];
  function add(name: string, unit: string, values: readonly number[], target?: Target): void {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
    if (sorted.length === 0) return;
    const [median, min, max] = [percentile(sorted, 50), percentile(sorted, 0), percentile(sorted, 100)];
    const figure = { name, unit, median, min, max, n: sorted.length, ...(target && judged(median, target)) };
    all.push(figure);
    progress(cellsOf(figure).join('  '));
  }
  return {
    add,
    all,
    ratio(name, values, others, target) {
      const ratios = values.map((value, round) => value / (others[round] ?? Number.NaN));
      add(name, '×', ratios, target);
    },
    times(name, times, percents) {
      const sorted = times.toSorted((a, b) => a - b);
      for (const [percent, target] of Object.entries(percents)) {
        add(`${name}: p${percent} of ${sorted.length}`, 'ms', [percentile(sorted, Number(percent))], target);
      }
    },
  };
}

function judged(median: number, target: Target): Pick<Figure, 'target' | 'isMet'> {
  return { target, isMet: target.sign === '≥' ? median >= target.must : median <= target.must };
}

/** The percentile of figures in ascending order, linearly interpolated. */
export function percentile(sorted: readonly number[], percent: number): number {
  const place = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return percentile(sorted, 50);
}

/** The figures as a table for a terminal. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [['figure', 'unit', 'median', 'range', 'n', 'must', 'aim', ''], ...figures.map(cellsOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}

function cellsOf({ name, unit, median, min, max, n, target, isMet }: Figure): string[] {
  const text = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
  const range = n === 1 ? '' : `${text(min)} to ${text(max)}`;
  const must = target === undefined ? '' : `${target.sign} ${text(target.must)}`;
  const aim = target?.aim === undefined ? '' : text(target.aim);
  return [name, unit, text(median), range, String(n), must, aim, isMet === undefined ? '' : isMet ? 'met' : 'MISSED'];
}

/** Saves a line with the machine and versions, and a line for each figure; returns the file. */
export function save(
  part: string,
  about: { readonly command: string; readonly database: string },
  figures: Figures,
): string {
  const file = `${root}packages/bench/results/${part}.jsonl`;
  const date = new Date().toISOString().slice(0, 10);
  const lines = [{ ...about, date, ...describeMachine() }, ...figures.all];
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  return file;
}
