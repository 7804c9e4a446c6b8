import type { AccessDependencies } from '@hitherto/domain/access';
import type { Log } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import { createVisitors, type HitLookups } from '@hitherto/domain/hits';
import { createImporter, type ImportFiles } from '@hitherto/domain/imports';
import { createCoverageReader } from '@hitherto/domain/insight';
import type { IsCommonPassword, PasskeyChecks, Totp } from '@hitherto/domain/people';
import type { CountingLists } from '@hitherto/domain/records';
import type { PasswordHasher } from '@hitherto/domain/websites';
import { createMetrics, createServer, describeError, HTTP_TIMEOUTS, removeAbandonedFolders } from '@hitherto/http';
import type { FastifyInstance } from 'fastify';
import type { OpenDatabase } from '../installation/database.ts';
import { hasSecretKey } from '../installation/secret-key.ts';
import { noteServedUrl } from '../installation/served-url.ts';
import type { Settings } from '../installation/settings.ts';
import { jobsOf } from '../jobs/jobs.ts';
import { runJobs } from '../jobs/run-jobs.ts';
import { forgetSalts } from '../jobs/statistics-jobs.ts';
import { openAlertChecker, openAlertSender } from './alerts.ts';
import { openChecks } from './checks.ts';
import { facesOf } from './faces.ts';
import { adviseAccount, forgetLink, offerSetup, welcome } from './first-start.ts';
import { type GaugeDependencies, gaugesOf } from './gauges.ts';
import { listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { adviseMails, type OpenMailer, openMail, openPersonMailSender } from './mail.ts';
import { type OpenIdentityProvider, openProvider } from './provider.ts';
import {
  recordAlertOutcomes,
  recordMailOutcomes,
  recordReportOutcomes,
  recordWebhookOutcomes,
} from './record-outcomes.ts';
import { adviseReports, openReportMailing, openReportSender } from './reports.ts';
import { stopAtSignals } from './stop-signals.ts';
import { readTls } from './tls.ts';
import { untilReachable } from './until-reachable.ts';
import { openWebhookSender, type WebhookSenderDependencies } from './webhooks.ts';
import type { Worker } from './workers/worker.ts';

export interface ServeDependencies extends Omit<AccessDependencies, 'access'>, Authored, WebhookSenderDependencies {
  readonly openDatabase: OpenDatabase;
  readonly openLookups: (settings: Settings) => Promise<HitLookups>;
  readonly loadCommonPasswords: () => Promise<IsCommonPassword>;
  readonly countingLists: () => Promise<CountingLists>;
  readonly totp: Totp;
  readonly passkeyChecks: PasskeyChecks;
  readonly openIdentityProvider: OpenIdentityProvider;
  readonly openMailer: OpenMailer;
  readonly importFiles: ImportFiles;
  readonly passwords: PasswordHasher & GaugeDependencies['passwords'];
  readonly version: string;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * Serves until SIGINT or SIGTERM. It listens immediately, and is ready when the database is. A stop ends requests first, then
 * jobs, then the database.
 *
 * @param worker this process, if several serve: the first does the work that has to be done once
 */
export async function serve(settings: Settings, deps: ServeDependencies, worker?: Worker): Promise<void> {
  const isFirst = worker === undefined || worker.number === 1;
  const tls = readTls(settings);
  const logger = createLogger(settings.logLevel, worker?.number);
  const log: Log = (level, message, details = {}) => logger[level](details, message);
  const onProgress = (text: string) => deps.tell(`${text}\n`);
  if (isFirst) await removeAbandonedFolders(deps.now());
  const lookups = await deps.openLookups(settings);
  const own = createMetrics(worker && { worker: String(worker.number) });
  worker?.share(own.registry);
  const metrics = worker === undefined ? own : { ...own, text: worker.metrics };
  const onCommit = metrics.hits.committed;
  const onHandOver = metrics.hits.handedOver;
  const use = worker === undefined ? 'service' : 'command';
  const database = await deps.openDatabase(settings, { use, log, onProgress, onCommit, onHandOver });
  const reading = { ...database, ...deps, lookups, zone: settings.timeZone };
  const onError = (message: string) => (error: unknown) => log('error', message, { error: describeError(error) });
  const importer = createImporter({ ...reading, onImportError: onError('import failed') });
  const coverageReader = createCoverageReader({ ...reading, onCoverageError: onError('log not compared') });
  const background = () => Promise.all([importer.close(), coverageReader.close()]);
  const drainMs = settings.drainSeconds * 1_000;
  const shutdown = new AbortController();
  const lifecycle = { isPrepared: false, isStopping: false };
  let app: FastifyInstance | undefined;
  let jobs: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  const stopOnce = async () => {
    lifecycle.isStopping = true;
    shutdown.abort();
    // Publishing or deleting a large import takes minutes. If the database is away, nothing runs in it.
    const interrupt = () => void Promise.all([background(), database.interrupt()]).catch(() => {});
    const interrupting = setTimeout(interrupt, drainMs + HTTP_TIMEOUTS.backgroundAtStop).unref();
    await app?.close();
    await Promise.all([jobs, background()]);
    await database.close();
    clearTimeout(interrupting);
  };
  const stop = () => {
    stopped ??= stopOnce();
    return stopped;
  };

  try {
    const dataDir = isFirst && settings.databaseUrl === undefined ? settings.dataDir : undefined;
    for (const gauge of gaugesOf({ database, passwords: deps.passwords, now: deps.now, dataDir })) metrics.gauge(gauge);
    const visitors = createVisitors(database.salts, deps.randomBytes);
    const deliveries = openWebhookSender(settings, database, deps, recordWebhookOutcomes(metrics, log));
    const mail = await openMail(settings, deps.openMailer);
    const reportMailing = mail && openReportMailing(mail, database, deps);
    const faces = facesOf({
      ...deps,
      isCommonPassword: await deps.loadCommonPasswords(),
      provider: await openProvider(settings, deps.openIdentityProvider),
      onSetUp: () => forgetLink(settings.dataDir),
      deliveries,
      reportMailing,
      mailsPeople: mail !== undefined && hasSecretKey(settings),
      settings,
      database,
      lookups,
      visitors,
      importer,
      coverageReader,
      metrics,
      lifecycle,
    });
    const trustedProxies = settings.trustedProxies ?? [];
    const { closedByAll = async () => {} } = worker ?? {};
    const options = { logger, metrics, trustedProxies, drainMs, closedByAll, ...(tls === undefined ? {} : { tls }) };
    app = await createServer(options, faces);
    const url = await listen(app, settings);
    // A start that fails ends by itself, with its own exit code.
    stopAtSignals(drainMs + HTTP_TIMEOUTS.stop, async (fault) => {
      if (fault !== undefined) logger.fatal({ error: describeError(fault) }, 'stopping after an error');
      await stop();
    });

    const access = { ...deps, access: database.access, people: database.people, websites: database.websites };
    const prepare = async () => {
      const applied = await database.migrate();
      if (applied.length > 0) log('info', 'the schema is up to date', { migrations: applied.length });
      if (!isFirst) return;
      await database.releases.note({ version: deps.version, at: deps.now(), ...(await deps.countingLists()) });
      // Forms of another address are rejected.
      const shown = settings.publicUrl ?? url;
      await noteServedUrl(settings, url);
      if (settings.databaseUrl === undefined) await welcome(access, shown, settings.dataDir, settings.setupToken);
      else if (settings.setupToken !== undefined) await offerSetup(access, shown, settings.setupToken);
      else await adviseAccount(access, log);
    };
    if (!(await untilReachable(prepare, log, shutdown.signal))) return;
    lifecycle.isPrepared = true;
    worker?.ready();
    log('info', 'ready', { url });
    if (isFirst) adviseReports(settings, log);
    if (isFirst) adviseMails(settings, log);
    const onJobError = (job: string, error: unknown) => log('warn', 'job failed', { job, error: describeError(error) });
    const { hitsRetentionDays: retentionDays, auditRetentionDays } = settings;
    const { now } = deps;
    const onReport = recordReportOutcomes(metrics, log);
    const reports = reportMailing && openReportSender(reportMailing, settings, database, now, onReport);
    const { onFired, onMail } = recordAlertOutcomes(metrics, log);
    const alertChecker = openAlertChecker(settings, database, deps, onFired);
    const alertSender = mail && openAlertSender(settings, mail, database, now, onMail);
    const mailSender =
      mail && openPersonMailSender(mail, database, deps.randomBytes, now, recordMailOutcomes(metrics, log));
    const kept = { retentionDays, auditRetentionDays };
    const checks = openChecks(settings, database, deps, ({ data: { website, finding } }) =>
      log('info', 'finding opened', { website: website.id, check: finding.check }),
    );
    const sending = {
      ...{ reports, deliveries: { ...deliveries, notices: mail }, alertChecker, alertSender, mailSender },
      checks,
    };
    const shared = isFirst ? jobsOf({ database, ...sending, ...kept, now }) : [];
    jobs = runJobs([...shared, forgetSalts({ visitors, now })], onJobError, shutdown.signal);
  } catch (error) {
    await stop();
    throw error;
  }
}
