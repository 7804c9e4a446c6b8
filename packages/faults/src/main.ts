import { describeMachine } from '@hitherto/testing/machine';
import { stopAll, stopLeftOvers } from '@hitherto/testing/processes';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readResult, saveResult } from './results.ts';
import { ROWS } from './rows.ts';
import { runRow } from './run-row.ts';
import { postgresVersion } from './support/own-postgres.ts';

/** The options of the command line. */
interface Options {
  readonly again?: true;
  readonly row?: readonly string[];
  readonly seed?: number;
  readonly trial?: number;
  readonly small?: true;
}

const options = new Command('npm run faults --')
  .description('Runs every row with its full number of trials. Rows that this commit has already passed are skipped.')
  .option('--again', 'also runs rows that this commit has already passed')
  .addOption(new Option('--row <name...>', 'only these rows').choices(ROWS.map(({ name }) => name)))
  .option('--seed <n>', 'the seed of the trials (a new one each time)', wholeNumber)
  .option('--trial <n>', 'with --row and --seed: replays this trial, without saving a result', wholeNumber)
  .option('--small', 'a few trials of each row, without saving a result')
  .addHelpText('after', '\nResults are saved in packages/faults/results/rows.jsonl.')
  .allowExcessArguments(false)
  .parse()
  .opts<Options>();

const wanted = ROWS.filter(({ name }) => options.row?.includes(name) ?? true);
await main();

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

async function main(): Promise<void> {
  stopLeftOvers();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stopAll().finally(() => process.exit(1)));
  }
  const { small, trial: only } = options;
  const isSaved = small !== true && only === undefined;
  const about = {
    date: new Date().toISOString().slice(0, 10),
    ...describeMachine(),
    postgres: await postgresVersion(),
  };
  const failed: string[] = [];
  for (const row of wanted) {
    const count = small === true ? (row.small ?? 1) : row.full;
    const kept = isSaved ? readResult(row.name) : undefined;
    const isDone = kept?.commit === about.commit && kept.holds && kept.n >= row.full;
    if (isDone && options.again !== true) continue;
    const missing = row.missing?.();
    if (missing !== undefined) {
      process.stdout.write(`${row.name}: not run, it needs ${missing}\n`);
      if (small !== true) failed.push(row.name);
      continue;
    }
    const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    process.stdout.write(`${row.name}, seed ${seed}\n`);
    const outcome = await runRow({
      row,
      count,
      isFull: small !== true,
      seed,
      ...(only === undefined ? {} : { only }),
      progress: (text) => void process.stderr.write(`  ${text}\n`),
    });
    await stopAll();
    process.stdout.write(`  ${outcome.holds ? 'holds' : 'BROKEN'} after ${outcome.seconds} s: ${outcome.found}\n`);
    if (!outcome.holds) failed.push(row.name);
    if (isSaved) saveResult({ row: row.name, ...about, ...outcome });
  }
  process.stdout.write(failed.length === 0 ? 'All rows hold.\n' : `Broken or not run: ${failed.join(', ')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
