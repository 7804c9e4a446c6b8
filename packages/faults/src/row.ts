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
  /** The number of trials of `--small`; absent: none. */
  readonly small?: number;
  /** Whether `npm test` runs it too, in small: it guards acknowledged data. */
  readonly isTested?: true;
  /** How many units one trial contains, if they run side by side in it; one by default. */
  readonly perTrial?: number;
  /** The requirement of the row that this machine lacks; `undefined` if it can run. */
  missing?(): string | undefined;
  /**
   * Runs the trials and returns the observation, for the table: `4,711 acknowledged, 0 lost`.
   * @throws {Error} as soon as the guarantee is broken, with the reason.
   */
  run(trials: Trials): Promise<string>;
}

/** The trials of one run of a row. */
export interface Trials {
  /** The number of trials; one if a trial is replayed. */
  readonly count: number;
  /** Whether this is a full run. Otherwise the machine is busy, and only correctness counts, not times. */
  readonly isFull: boolean;
  /** How many times longer than in a full run things may take. */
  readonly patience: number;
  /** Runs the trials one after the other. An error names the trial and how to replay it. */
  each(work: (trial: Trial) => Promise<void>): Promise<void>;
  /** Everything opened here is closed when the row ends. */
  readonly open: Open;
  /** Shows progress. */
  progress(text: string): void;
}

export interface Trial {
  readonly index: number;
  /** The only source of chance in a trial, so that it can be replayed. */
  readonly random: Random;
  /** Everything opened here is closed when the trial ends. */
  readonly open: Open;
}

export type RowOptions = Pick<Row, 'small' | 'isTested' | 'perTrial' | 'missing'>;

/** A row with this number of trials in a full run. */
export function row(name: string, full: number, unit: string, options: RowOptions, run: Row['run']): Row {
  return { name, full, unit, ...options, run };
}
