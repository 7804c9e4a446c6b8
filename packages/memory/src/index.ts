import { timeZone, zoneOf } from '@hitherto/domain/calendar';
import type { StatisticsEngine } from '@hitherto/domain/engine';
import type { Repositories } from '@hitherto/domain/repositories';
import { createAccessRepository } from './access-repository.ts';
import { createAuditTrail } from './audit-trail.ts';
import { createCoverageRepository } from './coverages.ts';
import { createDeletedWebsites } from './deleted-websites.ts';
import { createFindingRepository } from './findings.ts';
import { createIdempotencyRepository } from './idempotency-repository.ts';
import { createPageLocks } from './page-locks.ts';
import { createPersonLinkRepository } from './people/link-repository.ts';
import { createPasskeyRepository } from './people/passkey-repository.ts';
import { createPeopleRepository } from './people/people-repository.ts';
import { createSecondFactorRepository } from './people/second-factor-repository.ts';
import { createSessionRepository } from './people/session-repository.ts';
import { createSubscriptionRepository } from './people/subscription-repository.ts';
import { createReleaseRepository } from './releases.ts';
import { createReportOutbox } from './reports/outbox.ts';
import { createSecretRepository } from './reports/secret-repository.ts';
import { createAlertRepository } from './resources/alerts.ts';
import { createAnnotationRepository } from './resources/annotations.ts';
import { createCleanupRepository, rulesOf } from './resources/cleanups.ts';
import { createDefinitionRepositories } from './resources/definitions.ts';
import { createLinkRepository } from './resources/links.ts';
import { createRecipientRepository } from './resources/recipients.ts';
import { createWebhookRepository } from './resources/webhooks.ts';
import { emptyState, findWebsite, hasWebsite } from './state.ts';
import { createCrawlerRepository } from './statistics/crawler-repository.ts';
import { createDroppedHitsRepository } from './statistics/dropped-hits-repository.ts';
import { createHitBatchRepository } from './statistics/hit-batch-repository.ts';
import { createHitRepository, createSaltRepository } from './statistics/hit-repository.ts';
import { createImportRepository } from './statistics/import-repository.ts';
import { createImportStaging } from './statistics/import-staging.ts';
import { createLogRepository } from './statistics/log-repository.ts';
import { createStatisticsMaintenance } from './statistics/maintenance.ts';
import { createNotedHitsRepository } from './statistics/noted-hits-repository.ts';
import { emptyEngine, emptyJournal } from './statistics/state.ts';
import { createStatisticsRepository } from './statistics/statistics-repository.ts';
import { createTaskQueue } from './task-queue.ts';
import { createWebhookOutbox } from './webhooks/webhook-outbox.ts';
import { createWebsiteDirectory } from './website-directory.ts';
import { createWebsiteRepository } from './website-repository.ts';

/**
 * Repositories and an engine that store everything in the memory of this process.
 *
 * @param zone the installation's time zone
 */
export function createInMemoryRepositories(zone = timeZone('UTC')): Repositories & StatisticsEngine {
  const state = emptyState();
  const journal = emptyJournal();
  const engine = emptyEngine();
  const isKnown = (id: string) => hasWebsite(state, id);
  const zoneOfWebsite = (id: string) => {
    const website = findWebsite(state, id);
    return website && zoneOf(website, zone);
  };
  const rules = (websiteId: string) => rulesOf(state, websiteId);
  const pageRules = (websiteId: string) => findWebsite(state, websiteId)?.pageRules ?? [];
  const hits = createHitRepository(journal, isKnown);
  const crawlers = createCrawlerRepository(journal, engine, isKnown);
  return {
    websites: createWebsiteRepository(state),
    idempotency: createIdempotencyRepository(state),
    directory: createWebsiteDirectory(state),
    deletedWebsites: createDeletedWebsites(state),
    locks: createPageLocks(state),
    access: createAccessRepository(state),
    audit: createAuditTrail(state),
    people: createPeopleRepository(state),
    secondFactors: createSecondFactorRepository(state),
    passkeys: createPasskeyRepository(state),
    personLinks: createPersonLinkRepository(state),
    subscriptions: createSubscriptionRepository(state),
    sessions: createSessionRepository(state),
    hits,
    batches: createHitBatchRepository(journal, hits),
    salts: createSaltRepository(journal),
    droppedHits: createDroppedHitsRepository(journal, isKnown),
    crawlers,
    notedHits: createNotedHitsRepository(journal, isKnown),
    logs: createLogRepository(journal, hits, crawlers, isKnown),
    statistics: createStatisticsRepository(journal, engine, zoneOfWebsite, rules, pageRules),
    maintenance: createStatisticsMaintenance(journal, engine, zoneOfWebsite, rules, pageRules),
    staging: createImportStaging(state, journal, engine, zoneOfWebsite),
    definitions: createDefinitionRepositories(state),
    links: createLinkRepository(state),
    annotations: createAnnotationRepository(state),
    cleanups: createCleanupRepository(state),
    recipients: createRecipientRepository(state),
    imports: createImportRepository(state, engine),
    tasks: createTaskQueue(state),
    outbox: createReportOutbox(state),
    secrets: createSecretRepository(state.secrets),
    localSecrets: createSecretRepository(state.localSecrets),
    alerts: createAlertRepository(state),
    findings: createFindingRepository(state),
    coverages: createCoverageRepository(state),
    releases: createReleaseRepository(),
    webhooks: createWebhookRepository(state),
    webhookOutbox: createWebhookOutbox(state),
  };
}
