import { createDatabase, TEMPLATE } from '@hitherto/testing/databases';
import { afterAll, describe, inject } from 'vitest';
import { openPostgres, type PostgresRepositories } from '../src/postgres/index.ts';
import { accessRepositoryContract } from './access-repository.contract.ts';
import { alertRepositoryContract } from './alert-repository.contract.ts';
import { annotationRepositoryContract } from './annotation-repository.contract.ts';
import { auditTrailContract } from './audit-trail.contract.ts';
import { checkAlertsContract } from './check-alerts.contract.ts';
import { clearAccounts } from './clear.ts';
import { countCapContract } from './count-cap.contract.ts';
import { definitionRepositoryContract } from './definition-repository.contract.ts';
import { failedReportsContract } from './failed-reports.contract.ts';
import { idempotencyRepositoryContract } from './idempotency-repository.contract.ts';
import { linkRepositoryContract } from './link-repository.contract.ts';
import { pageLocksContract } from './page-locks.contract.ts';
import { reportOutboxContract } from './report-outbox.contract.ts';
import { secretRepositoryContract } from './secret-repository.contract.ts';
import { sendAlertsContract } from './send-alerts.contract.ts';
import { sendReportsContract } from './send-reports.contract.ts';
import { sessionRepositoryContract } from './session-repository.contract.ts';
import { clearStatistics } from './statistics/tables.ts';
import { taskQueueContract } from './task-queue.contract.ts';
import { webhookDeliveryContract } from './webhook-delivery.contract.ts';
import { webhookOutboxContract } from './webhook-outbox.contract.ts';
import { webhookRepositoryContract } from './webhook-repository.contract.ts';
import { websiteChangesContract } from './website-changes.contract.ts';
import { websiteDirectoryContract } from './website-directory.contract.ts';
import { websiteListContract } from './website-list.contract.ts';
import { websiteRepositoryContract } from './website-repository.contract.ts';

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
