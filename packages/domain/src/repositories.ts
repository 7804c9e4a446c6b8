import type { AccessRepository } from './access/access-repository.ts';
import type { SessionRepository } from './access/session-repository.ts';
import type { IdempotencyRepository } from './idempotency/idempotency-repository.ts';
import type { ReportOutbox } from './reports/outbox.ts';
import type { SecretRepository } from './reports/secret-repository.ts';
import type { StatisticsMaintenance, StatisticsRepository } from './statistics/engine/statistics-repository.ts';
import type { HitBatchRepository } from './statistics/journal/hit-batch.ts';
import type { HitRepository } from './statistics/journal/hit-repository.ts';
import type { SaltRepository } from './statistics/journal/salts.ts';
import type { Transfer } from './transfer/transfer.ts';
import type { PageLocks } from './website/page-locks.ts';
import type { WebsiteDirectory } from './website/website-directory.ts';
import type { WebsiteRepository } from './website/website-repository.ts';

/** All ports that a database implements. An adapter provides them over one shared state. */
export interface Repositories {
  readonly websites: WebsiteRepository;
  readonly idempotency: IdempotencyRepository;
  readonly directory: WebsiteDirectory;
  readonly locks: PageLocks;
  readonly access: AccessRepository;
  readonly sessions: SessionRepository;
  readonly hits: HitRepository;
  readonly batches: HitBatchRepository;
  readonly salts: SaltRepository;
  readonly statistics: StatisticsRepository;
  readonly maintenance: StatisticsMaintenance;
  readonly transfer: Transfer;
  readonly outbox: ReportOutbox;
  readonly secrets: SecretRepository;
}
