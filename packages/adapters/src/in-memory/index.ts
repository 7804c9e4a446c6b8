import { type Repositories, type StatisticsEngine, timeZone } from '@hitherto/domain';
import { createAccessRepository } from './access-repository.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { createPageLocks } from './page-locks.ts';
import { createReportOutbox } from './reports/outbox.ts';
import { createSecretRepository } from './reports/secret-repository.ts';
import { createSessionRepository } from './session-repository.ts';
import { emptyState, hasWebsite } from './state.ts';
import { createDroppedHitsRepository } from './statistics/dropped-hits-repository.ts';
import { createHitBatchRepository } from './statistics/hit-batch-repository.ts';
import { createHitRepository, createSaltRepository } from './statistics/hit-repository.ts';
import { createStatisticsMaintenance } from './statistics/maintenance.ts';
import { emptyStatistics } from './statistics/state.ts';
import { createStatisticsRepository } from './statistics/statistics-repository.ts';
import { createTransfer } from './transfer.ts';
import { createWebsiteDirectory } from './website-directory.ts';
import { createWebsiteRepository } from './website-repository.ts';

/**
 * Repositories and an engine that keep everything in this process, until it ends.
 *
 * @param zone the installation's time zone
 */
export function createInMemoryRepositories(zone = timeZone('UTC')): Repositories & StatisticsEngine {
  const state = emptyState();
  const statistics = emptyStatistics();
  const isKnown = (id: string) => hasWebsite(state, id);
  const hits = createHitRepository(statistics, isKnown);
  return {
    websites: createWebsiteRepository(state),
    idempotency: createIdempotencyRepository(state),
    directory: createWebsiteDirectory(state),
    locks: createPageLocks(state),
    access: createAccessRepository(state),
    sessions: createSessionRepository(state),
    hits,
    batches: createHitBatchRepository(statistics, hits),
    salts: createSaltRepository(statistics),
    droppedHits: createDroppedHitsRepository(statistics, isKnown),
    statistics: createStatisticsRepository(statistics, isKnown, zone),
    maintenance: createStatisticsMaintenance(statistics, isKnown, zone),
    transfer: createTransfer(state),
    outbox: createReportOutbox(state),
    secrets: createSecretRepository(state),
  };
}
