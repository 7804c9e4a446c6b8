import { randomOf } from '@hitherto/testing/random';
import { withScope } from '@hitherto/testing/scope';
import type { Row, Trial } from './row.ts';
import { endPaces } from './support/pace.ts';
import { type Watched, watchedSoFar } from './support/watched.ts';

export interface RunOptions {
  readonly row: Row;
  /** How many units to run. */
  readonly count: number;
  readonly isFull: boolean;
  readonly seed: number;
  /** The only trial to run, if one is replayed. */
  readonly only?: number;
  readonly progress: (text: string) => void;
}

/** The outcome of a row: its observation, or its failure. */
export interface Outcome {
  readonly n: number;
  readonly seconds: number;
  readonly seed: number;
  readonly holds: boolean;
  readonly found: string;
  /** The observations during the row. */
  readonly watched: Watched;
}

/** Runs a row. A failing trial ends it, with the command that replays the trial. */
export async function runRow({ row, count, isFull, seed, only, progress }: RunOptions): Promise<Outcome> {
  const since = performance.now();
  const { perTrial = 1 } = row;
  const trials = only === undefined ? Math.ceil(count / perTrial) : 1;
  const watchedSince = watchedSoFar();
  let n = 0;
  /** Runs one trial, in its own scope. */
  const runTrial = (index: number, work: (trial: Trial) => Promise<void>) =>
    withScope((open) => work({ index, random: randomOf(seed, row.name, index), open })).catch((error: unknown) => {
      const again = `npm run faults -- --row=${row.name} --seed=${seed} --trial=${index}${isFull ? '' : ' --small'}`;
      throw new Error(`${textOf(error)}\nAgain: ${again}`, { cause: error });
    });
  const run = async () => {
    const found = await withScope((open) =>
      row.run({
        count: trials,
        isFull,
        patience: isFull ? 1 : 10,
        open,
        progress,
        async each(work) {
          const first = only ?? 0;
          for (let index = first; index < first + trials; index += 1) {
            await runTrial(index, work);
            n += perTrial;
            progress(`${n} of ${trials * perTrial} ${row.unit}`);
          }
        },
      }),
    );
    n ||= trials * perTrial;
    const { secrets, strangers } = watchedSince();
    const findings = [...secrets, ...strangers.map((to) => `a connection to ${to}`)];
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('; '));
    return { holds: true, found };
  };
  const outcome = await run().catch((error: unknown) => ({ holds: false, found: textOf(error) }));
  endPaces();
  return { ...outcome, n, seconds: Math.round((performance.now() - since) / 1_000), seed, watched: watchedSince() };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
