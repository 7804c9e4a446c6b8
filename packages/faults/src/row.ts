import type { Random } from './support/random.ts';
import type { Watched } from './support/watched.ts';

/** One promise, and the trials that try to break it. */
export interface Row {
  /** Names it on the command line and in results. */
  readonly name: string;
  /** The fault, as the table of docs/reliability.md words it. */
  readonly what: string;
  readonly required: string;
  /** What is counted: `kills`. */
  readonly unit: string;
  /** How many trials are the full proof. */
  readonly full: number;
  /** How many of them `npm test` runs; absent: it runs none. */
  readonly small?: number;
  /** How many of what is counted one trial holds, where these run side by side in it; one unless said otherwise. */
  readonly perTrial?: number;
  /** It only adds up what the other rows have watched, and is done anew each time. */
  readonly isSum?: boolean;
  /** What the row needs beyond Node and this machine lacks; `undefined` where it can run. */
  missing?(): string | undefined;
  /**
   * Runs the trials and answers what was seen, for the table: `4,711 acknowledged, 0 lost`.
   * @throws {Error} that says what was broken, as soon as it was.
   */
  run(trials: Trials): Promise<string | Counted>;
}

/** What a row has found that counts by itself. */
export interface Counted {
  readonly n: number;
  readonly found: string;
}

/** The trials of one run of a row. */
export interface Trials {
  /** How many there are; one where a single one is replayed. */
  readonly count: number;
  /** Whether this is the full proof; else times are those of a busy machine, and only what is right and wrong counts. */
  readonly isFull: boolean;
  /** What all rows before it have watched, those of earlier runs on this commit included. */
  readonly watched: readonly Watched[];
  /** Runs them one after the other. What is thrown names the trial and how to replay it. */
  each(work: (trial: Trial) => Promise<void>): Promise<void>;
  /** Shows what is being done. */
  progress(text: string): void;
}

export interface Trial {
  readonly index: number;
  /** All that a trial leaves to chance comes from here, so that it can be replayed. */
  readonly random: Random;
}
