import { accessRepositoryContract } from '@hitherto/contracts/access-repository';
import { alertRepositoryContract } from '@hitherto/contracts/alert-repository';
import { annotationRepositoryContract } from '@hitherto/contracts/annotation-repository';
import { auditTrailContract } from '@hitherto/contracts/audit-trail';
import { checkAlertsContract } from '@hitherto/contracts/check-alerts';
import { countCapContract } from '@hitherto/contracts/count-cap';
import { definitionRepositoryContract } from '@hitherto/contracts/definition-repository';
import { failedReportsContract } from '@hitherto/contracts/failed-reports';
import { idempotencyRepositoryContract } from '@hitherto/contracts/idempotency-repository';
import { linkRepositoryContract } from '@hitherto/contracts/link-repository';
import { pageLocksContract } from '@hitherto/contracts/page-locks';
import { reportOutboxContract } from '@hitherto/contracts/report-outbox';
import { secretRepositoryContract } from '@hitherto/contracts/secret-repository';
import { sendAlertsContract } from '@hitherto/contracts/send-alerts';
import { sendReportsContract } from '@hitherto/contracts/send-reports';
import { sessionRepositoryContract } from '@hitherto/contracts/session-repository';
import { taskQueueContract } from '@hitherto/contracts/task-queue';
import { webhookDeliveryContract } from '@hitherto/contracts/webhook-delivery';
import { webhookOutboxContract } from '@hitherto/contracts/webhook-outbox';
import { webhookRepositoryContract } from '@hitherto/contracts/webhook-repository';
import { websiteChangesContract } from '@hitherto/contracts/website-changes';
import { websiteDirectoryContract } from '@hitherto/contracts/website-directory';
import { websiteListContract } from '@hitherto/contracts/website-list';
import { websiteRepositoryContract } from '@hitherto/contracts/website-repository';
import { clearAccounts } from '@hitherto/testing/clear';
import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { clearStatistics } from '@hitherto/testing/statistics-tables';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/index.ts';

const database = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const repositories: PostgresRepositories = openPostgres({
  connection: database.url,
  log: () => {},
  secretKey: () => new Uint8Array(32).fill(7),
});

afterAll(async () => {
  await repositories.close();
  await database.drop();
});

const makeRepositories = async () => {
  await clearAccounts(database.url);
  return repositories;
};
const makeWithoutStatistics = async () => {
  await clearStatistics(database.url);
  return makeRepositories();
};

describe('the PostgreSQL adapters', () => {
  describe('find and insert websites', () => websiteRepositoryContract(makeRepositories));
  describe('replace and delete websites', () => websiteChangesContract(makeRepositories));
  describe('idempotency records', () => idempotencyRepositoryContract(makeRepositories));
  describe('list websites', () => websiteListContract(makeRepositories));
  describe('website directory', () => websiteDirectoryContract(makeRepositories));
  describe('segments, goals and funnels', () => definitionRepositoryContract(makeRepositories));
  describe('total of a list', () => countCapContract(makeRepositories));
  describe('accounts and keys', () => accessRepositoryContract(makeRepositories));
  describe('audit trail', () => auditTrailContract(makeRepositories));
  describe('annotations', () => annotationRepositoryContract(makeRepositories));
  describe('shared links', () => linkRepositoryContract(makeRepositories));
  describe('page locks', () => pageLocksContract(makeRepositories));
  describe('sessions', () => sessionRepositoryContract(makeRepositories));
  describe('report outbox', () => reportOutboxContract(makeRepositories));
  describe('task queue', () => taskQueueContract(makeRepositories));
  describe('sendDueReports', () => sendReportsContract(makeRepositories));
  describe('sendDueReports, where it fails', () => failedReportsContract(makeRepositories));
  describe('secrets', () => secretRepositoryContract(makeRepositories, 'secrets'));
  describe('local secrets', () => secretRepositoryContract(makeRepositories, 'localSecrets'));
  describe('webhooks', () => webhookRepositoryContract(makeRepositories));
  describe('deliveries to webhooks', () => webhookOutboxContract(makeRepositories));
  describe('deliverDue', () => webhookDeliveryContract(makeRepositories));
  describe('alerts', () => alertRepositoryContract(makeRepositories));
  describe('checkDueAlerts', () => checkAlertsContract(makeWithoutStatistics));
  describe('sendDueAlerts', () => sendAlertsContract(makeRepositories));
});
