import type { Random } from '@hitherto/testing/random';
import type { Open } from '@hitherto/testing/scope';

/** One guarantee, and the trials that try to break it. docs/reliability.md describes the fault and the requirement. */
export interface Row {
  /** Its name on the command line and in results. */
  readonly name: string;
  /** The unit of `n`: `kills`. */
  readonly unit: string;
  /** The number of trials of a full run. */
  readonly full: number;
  /** The number of trials of `--small`; one by default. */
  readonly small?: number;
  /** Whether `npm test` runs it too, in small: it guards acknowledged data. */
  readonly isTested?: true;
  /** How many units one trial contains, if they run side by side in it; one by default. */
  readonly perTrial?: number;
  /** The requirement of the row that this machine lacks; `undefined` if it can run. */
  missing?(): string | undefined;
  /** @throws {Error} as soon as the guarantee is broken, with the reason. */
  run(trials: Trials): Promise<void>;
}

/** What the trials of a row share. */
export interface Setting {
  /** Whether this is a full run. Otherwise the machine is busy, and only correctness counts, not times. */
  readonly isFull: boolean;
  /** How many times longer than in a full run things may take. */
  readonly patience: number;
  /** Everything opened here is closed when the trial, or the row, ends. */
  readonly open: Open;
  /** Adds to the counts that the result shows: `{ acknowledged: 4_711 }`. */
  add(counts: Readonly<Record<string, number>>): void;
  /**
   * Notes a time for the result.
   * @param share of all times must be within the limit
   * @throws {Error} if a time is over the limit
   */
  took(what: string, ms: number, withinMs?: number, share?: number): void;
}

/** The trials of one run of a row. */
export interface Trials extends Setting {
  /** Runs the trials one after the other. An error names the trial and how to replay it. */
  each(work: (trial: Trial) => Promise<void>): Promise<void>;
}

export interface Trial extends Setting {
  readonly index: number;
  /** The only source of chance in a trial, so that it can be replayed. */
  readonly random: Random;
}

export type RowOptions = Pick<Row, 'small' | 'isTested' | 'perTrial' | 'missing'>;

/** A row with this number of trials in a full run. */
export function row(name: string, full: number, unit: string, options: RowOptions, run: Row['run']): Row {
  return { name, full, unit, ...options, run };
}
