import { describe } from 'vitest';
import { cleanupsContract } from './cleanups.ts';
import { crawlerRepositoryContract } from './crawler-repository.ts';
import { engagementContract } from './engagement.ts';
import { goalsContract } from './goals.ts';
import { hitBatchRepositoryContract } from './hit-batch-repository.ts';
import { hitRepositoryContract } from './hit-repository.ts';
import { importRepositoryContract } from './import-repository.ts';
import { importedLogsContract, sharedVisitorsContract } from './imported-logs.ts';
import { importedSumsContract } from './imported-sums.ts';
import { importsContract } from './imports.ts';
import { logRepositoryContract } from './log-repository.ts';
import { maintenanceContract } from './maintenance.ts';
import { pageRulesContract } from './page-rules.ts';
import { propertiesContract } from './properties.ts';
import { readsContract } from './reads.ts';
import { saltRepositoryContract } from './salt-repository.ts';
import { type MakePorts, type StatisticsPorts, settle } from './support.ts';
import { valueListsContract } from './value-lists.ts';
import { zonesContract } from './zones.ts';

type Settled = readonly [string, (ports: StatisticsPorts) => Promise<void>];

export const JUST_ADDED: Settled = ['hits just added', async () => {}];
export const SETTLED_DAYS_THAT_ARE_OVER: Settled = ['settled hits of days that are over', (ports) => settle(ports)];

/**
 * The contract of an engine that counts the hits of a journal, and of how both are kept.
 *
 * @param hasRecords whether it includes what the main database records, which is the same for every engine outside of it
 */
export function engineContract(makePorts: MakePorts, hasRecords = true): void {
  describe('hits', () => hitRepositoryContract(makePorts));
  describe('batches', () => hitBatchRepositoryContract(makePorts));
  describe('background work', () => maintenanceContract(makePorts));
  describe('cleanups', () => cleanupsContract(makePorts));
  describe('page rules', () => pageRulesContract(makePorts));
  describe('engagement', () => engagementContract(makePorts));
  describe('imports', () => importsContract(makePorts));
  describe('imports of access logs', () => importedLogsContract(makePorts, hasRecords));
  describe('sums of days', () => importedSumsContract(makePorts));
}

/** The contract of what the main database has of statistics, whatever the engine. */
export function recordsContract(makePorts: MakePorts): void {
  describe('crawlers', () => crawlerRepositoryContract(makePorts));
  describe('logs', () => logRepositoryContract(makePorts));
  describe('salts', () => saltRepositoryContract(makePorts));
  describe('records of imports', () => importRepositoryContract(makePorts));
  sharedVisitorsContract(makePorts);
}

/** The contract of numbers, which are the same in all these states. In all other states, `historiesContract` compares them. */
export function readingContract(makePorts: MakePorts, states: readonly Settled[]): void {
  describe.each(states)('reads, with %s', (_, settled) => {
    describe('numbers', () => readsContract(makePorts, settled));
    describe('lists', () => valueListsContract(makePorts, settled));
    describe('properties', () => propertiesContract(makePorts, settled));
    describe('goals and funnels', () => goalsContract(makePorts, settled));
    describe('time zones', () => zonesContract(makePorts, settled));
  });
}
