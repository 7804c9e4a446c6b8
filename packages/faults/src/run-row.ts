import { randomOf } from '@hitherto/testing/random';
import { withScope } from '@hitherto/testing/scope';
import type { Row, Setting, Trial } from './row.ts';
import { endPaces, quantile } from './support/pace.ts';
import { type Watched, watchedSoFar } from './support/watched.ts';

interface RunOptions {
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
  const patience = isFull ? 1 : 10;
  const watchedSince = watchedSoFar();
  const notes = createNotes(patience);
  const setting = { isFull, patience, add: notes.add, took: notes.took };
  let n = 0;
  /** Runs one trial, in its own scope. */
  const runTrial = (index: number, work: (trial: Trial) => Promise<void>) =>
    withScope((open) => work({ ...setting, index, random: randomOf(seed, row.name, index), open })).catch(
      (error: unknown) => {
        const again = `npm run faults -- --row=${row.name} --seed=${seed} --trial=${index}${isFull ? '' : ' --small'}`;
        throw new Error(`${textOf(error)}\nAgain: ${again}`, { cause: error });
      },
    );
  const each = async (work: (trial: Trial) => Promise<void>) => {
    const first = only ?? 0;
    for (let index = first; index < first + trials; index += 1) {
      await runTrial(index, work);
      n += perTrial;
      progress(`${n} of ${trials * perTrial} ${row.unit}`);
    }
  };
  const run = async () => {
    await withScope((open) => row.run({ ...setting, open, each }));
    const { secrets, strangers } = watchedSince();
    const findings = [...secrets, ...strangers.map((to) => `a connection to ${to}`)];
    if (findings.length > 0) throw new Error(findings.slice(0, 10).join('; '));
    return { holds: true, found: notes.found() };
  };
  const outcome = await run().catch((error: unknown) => ({ holds: false, found: textOf(error) }));
  endPaces();
  return { ...outcome, n, seconds: Math.round((performance.now() - since) / 1_000), seed, watched: watchedSince() };
}

/** Collects what a row counts and times. */
function createNotes(patience: number): Pick<Setting, 'add' | 'took'> & { found(): string } {
  const counts = new Map<string, number>();
  const times = new Map<string, { readonly all: number[]; readonly withinMs: number; readonly share: number }>();
  const expect = (what: string, ms: number, withinMs: number) => {
    if (ms > patience * withinMs) throw new Error(`${what} took ${Math.round(ms)} ms; ${withinMs} ms are allowed.`);
  };
  return {
    add(more) {
      for (const [name, count] of Object.entries(more)) counts.set(name, (counts.get(name) ?? 0) + count);
    },
    took(what, ms, withinMs = Number.POSITIVE_INFINITY, share = 1) {
      times.set(what, { all: [...(times.get(what)?.all ?? []), ms], withinMs, share });
      if (share === 1) expect(what, ms, withinMs);
    },
    found() {
      for (const [what, { all, withinMs, share }] of times) expect(what, quantile(all, share), withinMs);
      const seconds = (all: readonly number[], share: number) => `${written(quantile(all, share) / 1_000)} s`;
      return [
        [...counts].map(([name, count]) => `${written(count)} ${name}`).join(', '),
        ...[...times].map(([what, { all }]) => `${what}: ${seconds(all, 0.5)} (median), ${seconds(all, 1)} (longest)`),
      ].join('; ');
    },
  };
}

/** A number as people write it: `4,711`, `0.4`. */
function written(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
