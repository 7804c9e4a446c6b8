import { describeMachine } from '@hitherto/testing/machine';
import { stopAll, stopLeftOvers } from '@hitherto/testing/processes';
import { Command, InvalidArgumentError } from 'commander';
import { holdContest } from './contest.ts';
import { startDatabase } from './database.ts';
import { runTwoInstances } from './instances.ts';
import { withAutocannon } from './load/autocannon.ts';
import { findWrk } from './load/wrk.ts';
import type { OperationName } from './operations.ts';
import { limitOfDatabase, pgbenchVersion } from './pgbench.ts';
import { documentOf } from './report/document.ts';
import { plotOf } from './report/plot.ts';
import { targetsOf } from './report/targets.ts';
import { type Results, readResults, saveDocuments, saveResults } from './results.ts';
import type { Plan } from './rounds.ts';
import { measureScale } from './scale.ts';

const SHORT: readonly OperationName[] = ['show', 'show, If-None-Match'];
const FULL: readonly OperationName[] = [...SHORT, 'create', 'update', 'list page', 'search', 'search, frequent'];

/** The options of the command line. */
interface Options {
  readonly full?: true;
  readonly autocannon?: true;
  readonly rounds?: number;
  readonly seconds?: number;
  readonly report?: true;
}

const options = new Command('npm run bench --')
  .description('Measures show, in less than two minutes.')
  .option('--full', 'measures all operations, and lists and searches up to 5,000,000 websites')
  .option('--autocannon', 'loads with autocannon even if wrk is installed')
  .option('--rounds <n>', 'rounds of each comparison (5; 7 with --full)', oneTo99)
  .option('--seconds <n>', 'how long each variant is loaded in a round (2; 4 with --full)', oneTo99)
  .option('--report', 'writes docs/performance.md from the last full result, without measuring')
  .addHelpText('after', '\nDATABASE_URL names an empty PostgreSQL database to use. Without it, one is started.')
  .allowExcessArguments(false)
  .parse()
  .opts<Options>();
const progress = (text: string) => void process.stderr.write(`${text}\n`);

if (options.report === true) writeDocuments(readResults('full'));
else await bench(options.full === true ? 'full' : 'short');

function oneTo99(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99.');
  return Number(text);
}

async function bench(mode: Results['mode']): Promise<void> {
  stopLeftOvers();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void end().finally(() => process.exit(1)));
  }
  const database = await startDatabase();
  async function end() {
    await stopAll();
    await database.stop();
  }
  try {
    const results = await run(mode, database);
    progress(`The result is in ${saveResults(results)}`);
    if (mode === 'full') writeDocuments(results);
    process.stdout.write(summaryOf(results));
  } finally {
    await end();
  }
}

async function run(mode: Results['mode'], database: Awaited<ReturnType<typeof startDatabase>>): Promise<Results> {
  const generator = (options.autocannon === true ? undefined : findWrk()) ?? withAutocannon;
  const full = mode === 'full';
  const plan: Plan = {
    generator,
    connections: 32,
    rounds: options.rounds ?? (full ? 7 : 5),
    seconds: options.seconds ?? (full ? 4 : 2),
    progress,
  };
  progress(`${database.description}; load by ${generator.name}`);

  const given = process.argv.slice(2);
  const websites = full ? 100_000 : 10_000;
  const { samples, account } = await holdContest(database, full ? FULL : SHORT, websites, plan);
  const version = pgbenchVersion();
  const pgbench: number[] = [];
  for (let round = 0; version !== undefined && round < 3; round += 1) {
    progress('pgbench: the statement of show');
    pgbench.push(await limitOfDatabase(database.url, account, plan.seconds));
  }
  const instances = full ? await runTwoInstances(database, account, plan) : undefined;
  const scale = full ? await measureScale(database, plan) : undefined;
  return {
    mode,
    command: ['npm run bench', ...(given.length === 0 ? [] : ['--', ...given])].join(' '),
    date: new Date().toISOString().slice(0, 10),
    ...describeMachine(),
    database: database.description,
    generator: generator.name,
    connections: plan.connections,
    rounds: plan.rounds,
    secondsARound: plan.seconds,
    websites,
    samples,
    pgbench,
    ...(version === undefined ? {} : { pgbenchVersion: version }),
    ...(scale === undefined ? {} : { scale }),
    ...(instances === undefined ? {} : { instances }),
  };
}

function writeDocuments(results: Results): void {
  saveDocuments(documentOf(results), plotOf(results));
  progress('docs/performance.md and docs/performance.svg are written.');
}

function summaryOf(results: Results): string {
  const rows = targetsOf(results)
    .filter(({ holds }) => holds !== undefined)
    .map(({ figure, must, aim, reached, holds }) => [figure, must, aim, reached, holds ? 'holds' : 'MISSED']);
  const all = [['figure', 'must', 'aim', 'reached', ''], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
