import { describe } from 'vitest';
import { accessRepositoryContract } from './access-repository.ts';
import { alertRepositoryContract } from './alert-repository.ts';
import { annotationRepositoryContract } from './annotation-repository.ts';
import { auditTrailContract } from './audit-trail.ts';
import { checkAlertsContract } from './check-alerts.ts';
import { checksContract } from './checks.ts';
import { countCapContract } from './count-cap.ts';
import { coverageRepositoryContract } from './coverage-repository.ts';
import { definitionRepositoryContract } from './definition-repository.ts';
import { failedReportsContract } from './failed-reports.ts';
import { groupMembershipsContract } from './group-memberships.ts';
import { idempotencyRepositoryContract } from './idempotency-repository.ts';
import { linkRepositoryContract } from './link-repository.ts';
import { moveWebsiteContract } from './move-website.ts';
import { ownedResourcesContract } from './owned-resources.ts';
import { pageLocksContract } from './page-locks.ts';
import { passkeyRepositoryContract } from './passkey-repository.ts';
import { peopleRepositoryContract } from './people-repository.ts';
import { personLinksContract } from './person-links.ts';
import { recipientsContract } from './recipients.ts';
import { releaseRepositoryContract } from './releases.ts';
import { reportOutboxContract } from './report-outbox.ts';
import { secondFactorRepositoryContract } from './second-factor-repository.ts';
import { secretRepositoryContract } from './secret-repository.ts';
import { sendAlertsContract } from './send-alerts.ts';
import { sendMailsContract } from './send-mails.ts';
import { sendReportsContract } from './send-reports.ts';
import { sessionRepositoryContract } from './session-repository.ts';
import { subscriptionsContract } from './subscriptions.ts';
import type { Ports } from './support/alert-checks.ts';
import type { TestRepositories } from './support/repositories.ts';
import { taskQueueContract } from './task-queue.ts';
import { webhookDeliveryContract } from './webhook-delivery.ts';
import { webhookOutboxContract } from './webhook-outbox.ts';
import { webhookRepositoryContract } from './webhook-repository.ts';
import { websiteChangesContract } from './website-changes.ts';
import { websiteDirectoryContract } from './website-directory.ts';
import { websiteListContract } from './website-list.ts';
import { websiteRepositoryContract } from './website-repository.ts';

type MakeAll = () => Promise<TestRepositories & Ports>;

/**
 * The contract of all repositories of the main database but those of statistics.
 *
 * @param makeWithoutStatistics makes repositories that have no hits of earlier tests either
 */
export function repositoriesContract(makeRepositories: MakeAll, makeWithoutStatistics: MakeAll): void {
  describe('find and insert websites', () => websiteRepositoryContract(makeRepositories));
  describe('replace and delete websites', () => websiteChangesContract(makeRepositories));
  describe('moveWebsite', () => moveWebsiteContract(makeRepositories));
  describe('idempotency records', () => idempotencyRepositoryContract(makeRepositories));
  describe('list websites', () => websiteListContract(makeRepositories));
  describe('website directory', () => websiteDirectoryContract(makeRepositories));
  describe('resources of websites and accounts', () => ownedResourcesContract(makeRepositories));
  describe('segments, goals and funnels', () => definitionRepositoryContract(makeRepositories));
  describe('total of a list', () => countCapContract(makeRepositories));
  describe('accounts and keys', () => accessRepositoryContract(makeRepositories));
  describe('audit trail', () => auditTrailContract(makeRepositories));
  describe('annotations', () => annotationRepositoryContract(makeRepositories));
  describe('shared links', () => linkRepositoryContract(makeRepositories));
  describe('recipients of reports', () => recipientsContract(makeRepositories));
  describe('page locks', () => pageLocksContract(makeRepositories));
  describe('sessions', () => sessionRepositoryContract(makeRepositories));
  describe('passkeys', () => passkeyRepositoryContract(makeRepositories));
  describe('second factors', () => secondFactorRepositoryContract(makeRepositories));
  describe('people', () => peopleRepositoryContract(makeRepositories));
  describe('memberships by group', () => groupMembershipsContract(makeRepositories));
  describe('one-time links', () => personLinksContract(makeRepositories));
  describe('mails of members', () => subscriptionsContract(makeWithoutStatistics));
  describe('report outbox', () => reportOutboxContract(makeRepositories));
  describe('task queue', () => taskQueueContract(makeRepositories));
  describe('sendDueReports', () => sendReportsContract(makeRepositories));
  describe('sendDueReports, where it fails', () => failedReportsContract(makeRepositories));
  describe('sendDueMails', () => sendMailsContract(makeRepositories));
  describe('secrets', () => secretRepositoryContract(makeRepositories, 'secrets'));
  describe('local secrets', () => secretRepositoryContract(makeRepositories, 'localSecrets'));
  describe('webhooks', () => webhookRepositoryContract(makeRepositories));
  describe('deliveries to webhooks', () => webhookOutboxContract(makeRepositories));
  describe('deliverDue', () => webhookDeliveryContract(makeRepositories));
  describe('alerts', () => alertRepositoryContract(makeRepositories));
  describe('checkDueAlerts', () => checkAlertsContract(makeWithoutStatistics));
  describe('versions of lists', () => releaseRepositoryContract(makeRepositories));
  describe('reports of coverage', () => coverageRepositoryContract(makeRepositories));
  describe('runChecks', () => checksContract(makeWithoutStatistics));
  describe('sendDueAlerts', () => sendAlertsContract(makeRepositories));
}
