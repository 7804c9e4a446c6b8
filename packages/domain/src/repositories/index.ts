import type { AccessRepository } from '../access/access-repository.ts';
import type { AlertRepository } from '../alerts/alert-repository.ts';
import type { AnnotationRepository } from '../annotations/annotation-repository.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { FindingRepository } from '../checks/finding-repository.ts';
import type { CleanupRepository } from '../cleanups/cleanup-repository.ts';
import type { DefinitionRepositories } from '../definitions/definition-repository.ts';
import type { CrawlerRepository } from '../hits/crawlers.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import type { HitBatchRepository } from '../hits/hit-batch.ts';
import type { HitRepository } from '../hits/hit-repository.ts';
import type { NotedHitsRepository } from '../hits/noted-hits.ts';
import type { SaltRepository } from '../hits/salts.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import type { LogRepository } from '../imports/logs/logs.ts';
import type { CoverageRepository } from '../insight/coverage-report.ts';
import type { LinkRepository } from '../links/link-repository.ts';
import type { PersonLinkRepository } from '../people/link.ts';
import type { PasskeyRepository } from '../people/passkey.ts';
import type { PeopleRepository } from '../people/people-repository.ts';
import type { SecondFactorRepository } from '../people/second-factor-repository.ts';
import type { SessionRepository } from '../people/session-repository.ts';
import type { SubscriptionRepository } from '../people/subscription.ts';
import type { RecipientRepository } from '../recipients/recipient-repository.ts';
import type { AuditTrail } from '../records/audit-trail.ts';
import type { ReleaseRepository } from '../records/release.ts';
import type { ReportOutbox } from '../reports/outbox.ts';
import type { SecretRepository } from '../reports/secret-repository.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { WebhookRepository } from '../webhooks/webhook-repository.ts';
import type { DeletedWebsites } from '../websites/deleted-websites.ts';
import type { PageLocks } from '../websites/page-locks.ts';
import type { WebsiteDirectory } from '../websites/website-directory.ts';
import type { WebsiteRepository } from '../websites/website-repository.ts';

/**
 * The ports of the main database: settings and hits, which share transactions. The numbers are read from a
 * `StatisticsEngine`.
 */
export interface Repositories {
  /** Hits are stored together with the records of their batches and the counters of dropped hits, whatever engine counts them. */
  readonly hits: HitRepository;
  readonly batches: HitBatchRepository;
  readonly salts: SaltRepository;
  readonly droppedHits: DroppedHitsRepository;
  readonly crawlers: CrawlerRepository;
  readonly notedHits: NotedHitsRepository;
  readonly logs: LogRepository;
  readonly websites: WebsiteRepository;
  readonly idempotency: IdempotencyRepository;
  readonly directory: WebsiteDirectory;
  readonly deletedWebsites: DeletedWebsites;
  readonly locks: PageLocks;
  readonly access: AccessRepository;
  readonly audit: AuditTrail;
  readonly people: PeopleRepository;
  readonly personLinks: PersonLinkRepository;
  readonly secondFactors: SecondFactorRepository;
  readonly subscriptions: SubscriptionRepository;
  readonly passkeys: PasskeyRepository;
  readonly sessions: SessionRepository;
  readonly definitions: DefinitionRepositories;
  readonly links: LinkRepository;
  readonly annotations: AnnotationRepository;
  readonly cleanups: CleanupRepository;
  readonly recipients: RecipientRepository;
  readonly imports: ImportRepository;
  readonly tasks: TaskQueue;
  readonly outbox: ReportOutbox;
  readonly secrets: SecretRepository;
  /** Secrets that no backup and no export has. */
  readonly localSecrets: SecretRepository;
  readonly alerts: AlertRepository;
  readonly findings: FindingRepository;
  readonly coverages: CoverageRepository;
  readonly releases: ReleaseRepository;
  readonly webhooks: WebhookRepository;
  readonly webhookOutbox: WebhookOutbox;
}
