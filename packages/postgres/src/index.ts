import type { BackupPart } from '@hitherto/domain/backup';
import type { Log } from '@hitherto/domain/base';
import { type TimeZone, timeZone } from '@hitherto/domain/calendar';
import type { ArrivingHits, HitJournal, StatisticsEngine, StatisticsStore } from '@hitherto/domain/engine';
import type { Repositories } from '@hitherto/domain/repositories';
import { createAccessRepository } from './access/access-repository.ts';
import { createAuditTrail } from './audit/audit-trail.ts';
import { createReleaseRepository } from './audit/releases.ts';
import { readBackup } from './backup/read-backup.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { type Database, openDatabase, type PoolPurpose } from './connection/database.ts';
import { watchPresence } from './connection/presence.ts';
import { openProbe } from './connection/probe.ts';
import type { Connection } from './connection/settings.ts';
import { createIdempotencyRepository } from './idempotency/idempotency-repository.ts';
import { createImportRepository } from './imports/import-repository.ts';
import { createCrawlerRepository } from './journal/crawler-repository.ts';
import { createCrawlerTally } from './journal/crawler-sums.ts';
import { createDroppedHitsRepository } from './journal/dropped-hits-repository.ts';
import { useEngine } from './journal/engine-choice.ts';
import type { OnCommit } from './journal/group-commit.ts';
import { createHitBatchRepository } from './journal/hit-batch-repository.ts';
import { createHitJournal } from './journal/hit-journal.ts';
import { createHitRepository } from './journal/hit-repository.ts';
import { createHitWriter } from './journal/hit-writer.ts';
import { createLogRepository } from './journal/log-repository.ts';
import { createNotedHitsRepository } from './journal/noted-hits-repository.ts';
import { createSaltRepository } from './journal/salt-repository.ts';
import { migrate, type SchemaState, schemaState } from './migrations/migrate.ts';
import { createLeavingHits, createReturningHits } from './moving/arriving-hits.ts';
import { createStatisticsStore, findNumbers } from './moving/store.ts';
import { createPersonLinkRepository } from './people/link-repository.ts';
import { createPasskeyRepository } from './people/passkey-repository.ts';
import { createPeopleRepository } from './people/people-repository.ts';
import { createSecondFactorRepository } from './people/second-factor-repository.ts';
import { createSessionRepository } from './people/session-repository.ts';
import { createSubscriptionRepository } from './people/subscription-repository.ts';
import { createTaskQueue } from './queue/task-queue.ts';
import { createReportOutbox } from './reports/outbox.ts';
import { createSecretRepository } from './reports/secret-repository.ts';
import { createAlertRepository } from './resources/alerts.ts';
import { createAnnotationRepository } from './resources/annotations.ts';
import { createCleanupRepository } from './resources/cleanups.ts';
import { createCoverageRepository } from './resources/coverages.ts';
import { createDefinitionRepositories } from './resources/definitions.ts';
import { createFindingRepository } from './resources/findings.ts';
import { createLinkRepository } from './resources/links.ts';
import { createRecipientRepository } from './resources/recipients.ts';
import { createWebhookRepository } from './resources/webhooks.ts';
import { createSeal } from './seal.ts';
import { createImportStaging } from './statistics/imports/import-staging.ts';
import { createStatisticsMaintenance } from './statistics/jobs/maintenance.ts';
import { PART_LIMITS, type PartLimits } from './statistics/part-limits.ts';
import { createStatisticsRepository } from './statistics/reading/statistics-repository.ts';
import { openCountingThread } from './statistics/thread/counting-thread.ts';
import { createKeeping } from './statistics/thread/keep-days.ts';
import { openKeepingThread } from './statistics/thread/keeping-thread.ts';
import { IS_BUILT } from './statistics/thread/thread.ts';
import { createWebhookOutbox } from './webhooks/webhook-outbox.ts';
import { createDeletedWebsites } from './websites/deleted-websites.ts';
import { createPageLocks } from './websites/page-locks.ts';
import { createWebsiteDirectory } from './websites/website-directory.ts';
import { createWebsiteRepository } from './websites/website-repository.ts';

export { rejectLaterBackup } from './backup/restore-backup.ts';
export type { Connection } from './connection/settings.ts';
export type { SchemaState } from './migrations/migrate.ts';

export interface PostgresOptions {
  readonly connection: Connection;
  /**
   * Logs lost connections. Details contain error codes and the server's reasons, but no password, value or statement.
   */
  readonly log: Log;
  /** The installation's time zone; UTC by default. */
  readonly zone?: TimeZone;
  /** Called after each commit of hits. */
  readonly onCommit?: OnCommit;
  /** How large the parts are in which the hits of days are stored. */
  readonly parts?: PartLimits;
  /**
   * Whether the build of this package counts statistics and keeps days in threads, so that this one goes on meanwhile; not by
   * default.
   */
  readonly countsInThread?: boolean;
  /** Whether statistics can be read here, and through `journal`, although the other engine has them: while they move. */
  readonly readsInactiveEngine?: boolean;
  /** The key of 32 bytes that encrypts the secrets of webhooks; `undefined` where there is none. */
  readonly secretKey?: () => Uint8Array | undefined;
}

/** The repositories on one PostgreSQL database, and the engine that counts the hits of its journal. */
export interface PostgresRepositories extends Repositories, StatisticsEngine {
  /** The hits to hand over to an engine outside. */
  readonly journal: HitJournal;
  /** Runs the pending migrations and resolves to their names; of several instances that call it at the same time, only one does. */
  migrate(): Promise<readonly string[]>;
  /**
   * Notes which engine has the statistics of this database: its own, or one outside. Returns `false` if it is the other one;
   * without statistics the database can change to one outside.
   */
  useEngine(engine: 'inside' | 'outside'): Promise<boolean>;
  /** For moves of statistics from and to an engine outside. */
  readonly moving: {
    readonly store: StatisticsStore;
    /** Hits that arrive while statistics leave this database, and while they return to it. */
    readonly leaving: ArrivingHits;
    readonly returning: ArrivingHits;
    /** The ids of existing websites by their numbers. */
    findWebsites(): Promise<ReadonlyMap<bigint, string>>;
  };
  /** Compares the schema of the database with the schema of this program. */
  schemaState(): Promise<SchemaState>;
  /**
   * Everything in the database as it is at one moment, sessions apart.
   *
   * @param only leaves out everything but accounts, keys, and what their owners have set up
   */
  backup(only?: 'settings'): AsyncIterable<BackupPart>;
  /**
   * Restores a backup of this or an earlier version into an empty installation that is migrated, all or nothing. Rejects with
   * `not_empty` if there are accounts.
   */
  restore(parts: AsyncIterable<BackupPart>): Promise<void>;
  /** Resolves when the database responds within a second; rejects with `unavailable` otherwise. */
  ping(): Promise<void>;
  /** The connections of the API's pool, and how many calls wait for one. */
  stats(): ReturnType<Database['stats']>;
  /** Ends jobs, and imports and their deletion, that still run. They are undone, and reject as `unavailable`. */
  interrupt(): Promise<void>;
  /** Stores the hits that wait, and closes all connections once running queries have finished. */
  close(): Promise<void>;
}

/**
 * The repositories and the engine on a PostgreSQL database. It connects on the first call; while the database is
 * unreachable, each call rejects with `unavailable`.
 */
export function openPostgres({
  connection,
  log,
  zone = timeZone('UTC'),
  onCommit = () => {},
  parts = PART_LIMITS,
  countsInThread = false,
  readsInactiveEngine = false,
  secretKey = () => undefined,
}: PostgresOptions): PostgresRepositories {
  const presence = watchPresence(log);
  const open = (purpose: PoolPurpose, most?: number) => openDatabase(connection, purpose, presence, log, most);
  const api = open('api');
  const ingest = open('ingest');
  // The thread has connections of its own.
  const hasThreads = countsInThread && IS_BUILT;
  const data = { connection, zone: zone.name, readsInactiveEngine, parts };
  const thread = hasThreads ? openCountingThread(data, log) : undefined;
  const keeper = hasThreads ? openKeepingThread(data, log) : undefined;
  const statistics = open('statistics', thread === undefined ? undefined : 1);
  // Work in the background has few connections, and these kinds run at the same time: none waits for those of another.
  const jobs = open('background');
  const keeping = keeper?.keeping ?? createKeeping(jobs, zone, parts);
  const handingOver = open('background');
  const movingHits = open('background');
  const idempotency = createIdempotencyRepository(api);
  const owned = { database: api, idempotency };
  const hits = createHitRepository(createHitWriter(ingest), log, onCommit);
  const crawlerTally = createCrawlerTally(jobs, log);
  const notedHits = createNotedHitsRepository(statistics, jobs, log);
  const seal = createSeal(secretKey);
  const probe = openProbe(connection);
  return {
    websites: createWebsiteRepository(api, idempotency),
    idempotency,
    directory: createWebsiteDirectory(api),
    deletedWebsites: createDeletedWebsites(jobs),
    locks: createPageLocks(api),
    access: createAccessRepository(api, jobs),
    audit: createAuditTrail(api, jobs),
    people: createPeopleRepository(api, seal),
    secondFactors: createSecondFactorRepository(api, seal),
    passkeys: createPasskeyRepository(api, seal),
    personLinks: createPersonLinkRepository(api, seal),
    subscriptions: createSubscriptionRepository(api),
    sessions: createSessionRepository(api),
    hits,
    batches: createHitBatchRepository(ingest),
    logs: createLogRepository(ingest),
    journal: createHitJournal(handingOver, statistics, zone, readsInactiveEngine),
    salts: createSaltRepository(ingest),
    droppedHits: createDroppedHitsRepository(statistics),
    notedHits,
    crawlers: createCrawlerRepository(statistics, jobs, crawlerTally),
    statistics: thread?.statistics ?? createStatisticsRepository(statistics, zone, readsInactiveEngine),
    staging: createImportStaging(jobs, zone, keeping),
    imports: createImportRepository(jobs),
    maintenance: createStatisticsMaintenance(jobs, zone, parts, keeping),
    definitions: createDefinitionRepositories(owned),
    links: createLinkRepository(owned),
    annotations: createAnnotationRepository(owned),
    cleanups: createCleanupRepository(owned, jobs),
    recipients: createRecipientRepository(owned),
    tasks: createTaskQueue(api, jobs, seal),
    outbox: createReportOutbox(api, jobs),
    secrets: createSecretRepository(api, 'secret'),
    localSecrets: createSecretRepository(api, 'local_secret'),
    alerts: createAlertRepository(owned),
    findings: createFindingRepository(api, jobs),
    coverages: createCoverageRepository(api, jobs),
    releases: createReleaseRepository(api),
    webhooks: createWebhookRepository(owned, seal),
    webhookOutbox: createWebhookOutbox(api, jobs, seal),
    migrate: () => migrate(connection, presence),
    useEngine: (engine) => useEngine(jobs, engine === 'outside'),
    moving: {
      store: createStatisticsStore(jobs),
      leaving: createLeavingHits(movingHits),
      returning: createReturningHits(movingHits),
      findWebsites: () => findNumbers(jobs),
    },
    schemaState: () => schemaState(connection, presence),
    backup: (only) => readBackup(jobs, only === 'settings'),
    restore: (parts) => restoreBackup(jobs, parts),
    ping: probe.ping,
    stats: api.stats,
    async interrupt() {
      await Promise.all([jobs, handingOver, movingHits, keeper].map((part) => part?.interrupt()));
    },
    async close() {
      await Promise.all([hits.close(), crawlerTally.close(), notedHits.close(), thread?.close(), keeper?.close()]);
      await Promise.all([api, ingest, statistics, jobs, handingOver, movingHits, probe].map((part) => part.close()));
    },
  };
}
