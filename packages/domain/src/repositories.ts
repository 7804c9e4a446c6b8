import type { AccessRepository } from './access/access-repository.ts';
import type { SessionRepository } from './access/session-repository.ts';
import type { AlertRepository } from './alerts/alert-repository.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { IdempotencyRepository } from './idempotency/idempotency-repository.ts';
import type { TaskQueue } from './queue/task-queue.ts';
import type { ReportOutbox } from './reports/outbox.ts';
import type { SecretRepository } from './reports/secret-repository.ts';
import type { AnnotationRepository } from './sharing/annotation-repository.ts';
import type { LinkRepository } from './sharing/link-repository.ts';
import type { DefinitionRepository } from './statistics/definitions/definition-repository.ts';
import type { ImportRepository } from './statistics/imports/import-repository.ts';
import type { Journal } from './statistics/journal/journal.ts';
import type { WebhookOutbox } from './webhooks/webhook-outbox.ts';
import type { WebhookRepository } from './webhooks/webhook-repository.ts';
import type { DeletedWebsites } from './website/deleted-websites.ts';
import type { PageLocks } from './website/page-locks.ts';
import type { WebsiteDirectory } from './website/website-directory.ts';
import type { WebsiteRepository } from './website/website-repository.ts';

/**
 * The ports of the main database: settings and journal, which share transactions. The numbers are read from a
 * `StatisticsEngine`.
 */
export interface Repositories extends Journal {
  readonly websites: WebsiteRepository;
  readonly idempotency: IdempotencyRepository;
  readonly directory: WebsiteDirectory;
  readonly deletedWebsites: DeletedWebsites;
  readonly locks: PageLocks;
  readonly access: AccessRepository;
  readonly audit: AuditTrail;
  readonly sessions: SessionRepository;
  readonly definitions: DefinitionRepository;
  readonly links: LinkRepository;
  readonly annotations: AnnotationRepository;
  readonly imports: ImportRepository;
  readonly tasks: TaskQueue;
  readonly outbox: ReportOutbox;
  readonly secrets: SecretRepository;
  /** Secrets that no backup and no export has. */
  readonly localSecrets: SecretRepository;
  readonly alerts: AlertRepository;
  readonly webhooks: WebhookRepository;
  readonly webhookOutbox: WebhookOutbox;
}
