import { stopAll, stopLeftOvers } from '@hitherto/testing/processes';
import { withScope } from '@hitherto/testing/scope';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { measureApi } from './api/contest.ts';
import { startDatabase } from './database.ts';
import { createFigures, type Figure, save, tableOf } from './figures.ts';
import { measureImports } from './imports/imports.ts';
import { FULL, type Run, SHORT } from './run.ts';
import { measureBook } from './statistics/book.ts';
import { measureCleanups } from './statistics/cleanups.ts';
import { measureCollecting } from './statistics/collecting.ts';
import { measureFilters } from './statistics/filters.ts';
import { measureReading } from './statistics/reading.ts';
import { measureSteady } from './steady.ts';

/** The options of the command line. */
interface Options {
  readonly full?: true;
  readonly rounds?: number;
  readonly seconds?: number;
  readonly minutes: number;
  readonly stored?: number;
}

const PARTS: Readonly<Record<string, (run: Run, options: Options) => Promise<void>>> = {
  api: measureApi,
  collecting: measureCollecting,
  reading: measureReading,
  filters: measureFilters,
  book: measureBook,
  cleanups: (run, { stored }) => measureCleanups(run, stored),
  imports: (run, { stored }) => measureImports(run, stored),
  steady: (run, { minutes }) => measureSteady(run, minutes),
};

const program = new Command('npm run bench --')
  .description('Measures parts of Hitherto, prints the figures, and saves them in packages/bench/results.')
  .addArgument(new Argument('[parts...]', 'what to measure').choices(Object.keys(PARTS)).default(['api']))
  .option('--full', 'measures all that docs/performance.md has; otherwise little data, in a minute or two a part')
  .option('--rounds <n>', 'rounds of each comparison (5 with --full, otherwise 2)', positive)
  .option('--seconds <n>', 'how long each side is loaded in a round (4 with --full, otherwise 2)', positive)
  .option('--minutes <n>', 'how long steady runs', positive, 1)
  .option(
    '--stored <n>',
    'hits of the large website of filters (10,000,000 with --full, otherwise 112,000) or cleanups (10,000,000 or 56,000), or rows of imports (1,000,000 or 20,000)',
    positive,
  )
  .addHelpText('after', '\nDATABASE_URL names an empty PostgreSQL database to use. Without it, one is started.')
  .action(run);
await program.parseAsync();

function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

async function run(names: readonly string[], options: Options): Promise<void> {
  const progress = (text: string) => void process.stderr.write(`${text}\n`);
  const { full, rounds, seconds } = options;
  const plan = { ...(full ? FULL : SHORT), ...(rounds && { rounds }), ...(seconds && { seconds }) };
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const all: Figure[] = [];
  stopLeftOvers();
  for (const [name, measure] of Object.entries(PARTS)) {
    if (!names.includes(name)) continue;
    const database = await startDatabase();
    const end = () => stopAll().then(database.close);
    const interrupt = () => void end().finally(() => process.exit(1));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
    const figures = createFigures(progress);
    try {
      progress(`${name} on ${database.description}`);
      await withScope(async (open) => measure({ ...plan, database, figures, open, progress }, options));
      const about = { command, database: database.description };
      progress(`The result is in ${save(full ? name : `${name}-short`, about, figures)}`);
      all.push(...figures.all);
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
      await end();
    }
  }
  process.stdout.write(`${tableOf(all)}\n`);
}
