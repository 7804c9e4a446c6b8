import {
  type AccessDependencies,
  type HitLookups,
  type Log,
  type PasswordHasher,
  rememberSalts,
} from '@hitherto/domain';
import { createMetrics, createServer, describeError, HTTP_TIMEOUTS } from '@hitherto/http';
import closeWithGrace from 'close-with-grace';
import type { OpenDatabase } from '../database.ts';
import { jobsOf } from '../jobs/jobs.ts';
import { runJobs } from '../jobs/run-jobs.ts';
import type { Settings } from '../settings.ts';
import { facesOf } from './faces.ts';
import { adviseAccount, issueFirstKey } from './first-key.ts';
import { gaugesOf } from './gauges.ts';
import { listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { prepare } from './prepare.ts';
import { adviseReports, openReportSender, type ReportSenderDependencies } from './reports.ts';
import { readTls } from './tls.ts';
import { watchReports } from './watch-reports.ts';

export interface ServeDependencies extends Omit<AccessDependencies, 'access'>, ReportSenderDependencies {
  readonly openDatabase: OpenDatabase;
  readonly openLookups: (settings: Settings) => Promise<HitLookups>;
  readonly passwords: PasswordHasher & { load(): { readonly active: number; readonly waiting: number } };
  readonly version: string;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
}

/** Serves until SIGINT or SIGTERM. It listens at once, and is ready when the database is. */
export async function serve(settings: Settings, deps: ServeDependencies): Promise<void> {
  const tls = readTls(settings);
  const logger = createLogger(settings.logLevel);
  const log: Log = (level, message, details = {}) => logger[level](details, message);
  const onProgress = (text: string) => deps.tell(`${text}\n`);
  const lookups = await deps.openLookups(settings);
  const database = await deps.openDatabase(settings, { use: 'service', log, onProgress });
  const shutdown = new AbortController();
  const lifecycle = { isPrepared: false, isStopping: false };
  const closing: (() => Promise<unknown>)[] = [() => database.close()];
  const stop = async () => {
    lifecycle.isStopping = true;
    shutdown.abort();
    for (const close of closing.splice(0).reverse()) await close();
  };

  try {
    const metrics = createMetrics(gaugesOf({ database, passwords: deps.passwords }));
    const salts = rememberSalts(database.salts, deps.randomBytes);
    const common = { ...deps, settings, database, lookups, salts, metrics, logger };
    const faces = facesOf({ ...common, lifecycle });
    const trustedProxies = settings.trustedProxies ?? [];
    const drainMs = settings.drainSeconds * 1_000;
    const options = { logger, metrics, trustedProxies, drainMs, ...(tls === undefined ? {} : { tls }) };
    const app = await createServer(options, faces);
    closing.push(() => app.close());
    const url = await listen(app, settings);
    // A start that fails ends by itself, with its own exit code.
    closeWithGrace({ delay: drainMs + HTTP_TIMEOUTS.stop, logger: false, skip: ['beforeExit'] }, async ({ err }) => {
      if (err !== undefined) logger.fatal({ error: describeError(err) }, 'stopping after an error');
      await stop();
      logger.flush?.();
      if (err !== undefined) process.exitCode = 1;
    });

    const access = { ...deps, access: database.access };
    const steps = async () => {
      const applied = await database.migrate();
      if (applied.length > 0) log('info', 'the schema is up to date', { applied });
      if (settings.databaseUrl === undefined) await issueFirstKey(access, url, deps.tell);
      else await adviseAccount(access, log);
    };
    if (!(await prepare(steps, log, shutdown.signal))) return;
    lifecycle.isPrepared = true;
    log('info', 'ready', { url });
    adviseReports(settings, log);
    const onError = (job: string, error: unknown) => log('warn', 'job failed', { job, error: describeError(error) });
    const { timeZone, hitsRetentionDays: retentionDays } = settings;
    const reports = await openReportSender(settings, database, deps, watchReports(metrics, log));
    const work = jobsOf({ database, reports, remembered: salts, timeZone, retentionDays, now: deps.now });
    const jobs = runJobs(work, onError, shutdown.signal);
    closing.splice(1, 0, () => jobs);
  } catch (error) {
    await stop();
    throw error;
  }
}
