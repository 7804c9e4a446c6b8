import { stopAll, stopLeftOvers } from '@hitherto/testing/processes';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { type ApiOptions, measureApi } from './api.ts';
import { type BenchDatabase, startDatabase } from './database.ts';
import { statisticsTargets } from './report/statistics-targets.ts';
import { summaryOf } from './report/summary.ts';
import { targetsOf } from './report/targets.ts';
import { writeDocuments } from './report/write.ts';
import { saveResults } from './results.ts';
import { PARTS, type PartName } from './statistics/results.ts';
import { measureStatistics } from './statistics/run.ts';
import { saveSteady } from './steady/results.ts';
import { measureSteady } from './steady/run.ts';

const given = process.argv.slice(2);
const COMMAND = ['npm run bench', ...(given.length === 0 ? [] : ['--', ...given])].join(' ');
const progress = (text: string) => void process.stderr.write(`${text}\n`);

const program = new Command('npm run bench --')
  .description('Measures show of the API, in less than two minutes.')
  .option('--full', 'measures all operations, and lists and searches up to 5,000,000 websites')
  .option('--autocannon', 'loads with autocannon even if wrk is installed')
  .option('--rounds <n>', 'rounds of each comparison (5; 7 with --full)', oneTo99)
  .option('--seconds <n>', 'how long each variant is loaded in a round (2; 4 with --full)', oneTo99)
  .option('--report', 'writes docs/performance.md from the last full results, without measuring')
  .addHelpText('after', '\nDATABASE_URL names an empty PostgreSQL database to use. Without it, one is started.')
  .allowExcessArguments(false)
  .action(async (options: ApiOptions & { readonly report?: true }) => {
    if (options.report === true) return report();
    await withDatabase(async (database) => {
      const results = await measureApi(options, COMMAND, database, progress);
      progress(`The result is in ${saveResults(results)}`);
      if (results.mode === 'full') report();
      process.stdout.write(summaryOf(targetsOf(results)));
    });
  });

program
  .command('statistics')
  .description('Measures collecting hits and reading statistics, in about half an hour.')
  .addArgument(new Argument('[parts...]', 'what to measure; the other parts keep their last results').choices(PARTS))
  .option('--short', 'tries everything with little data, in less than three minutes')
  .action(async (parts: PartName[], { short }: { readonly short?: true }) => {
    const mode = short === true ? 'short' : 'full';
    await withDatabase(async (database) => {
      const measured = parts.length === 0 ? PARTS : parts;
      const results = await measureStatistics(mode, measured, COMMAND, database, progress);
      if (mode === 'full') report();
      process.stdout.write(summaryOf(statisticsTargets(results)));
    });
  });

program
  .command('steady')
  .description('Sends hits and reads pages at a steady rate, and plots memory, disk and response times.')
  .option('--minutes <n>', 'how long', oneTo99, 60)
  .option('--hits <n>', 'hits a second', Number, 500)
  .option('--pages <n>', 'pages a second', Number, 1)
  .action(
    async ({ minutes, hits, pages }: { readonly minutes: number; readonly hits: number; readonly pages: number }) => {
      await withDatabase(async (database) => {
        const plan = { minutes, hitsPerSecond: hits, pagesPerSecond: pages };
        progress(`The result is in ${saveSteady(await measureSteady(plan, COMMAND, database, progress))}`);
        report();
      });
    },
  );

await program.parseAsync();

function oneTo99(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99.');
  return Number(text);
}

async function withDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
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
    progress(database.description);
    await work(database);
  } finally {
    await end();
  }
}

function report(): void {
  writeDocuments();
  progress('docs/performance.md and its plots are written.');
}
