import { openPostgres } from '@hitherto/postgres';
import { runJobs } from '@hitherto/program/run-jobs';
import { statisticsJobs } from '@hitherto/program/statistics-jobs';
import { JOBS_NOW, RETENTION_DAYS } from './job-data.ts';

// A process to kill: the program's background work on statistics, at a fixed time and without pauses.
const EVERY_MS = 20;
const repositories = openPostgres({
  connection: process.env.DATABASE_URL ?? '',
  log: () => {},
  parts: { hits: 50, parts: 2, lists: 10, listsOfMonths: 10 },
});
const jobs = statisticsJobs({
  ...repositories,
  retentionDays: RETENTION_DAYS,
  now: () => new Date(JOBS_NOW),
});
await runJobs(
  jobs.map((job) => ({ ...job, every: EVERY_MS })),
  (job, error) => void process.stderr.write(`${job}: ${error}\n`),
  new AbortController().signal,
);
