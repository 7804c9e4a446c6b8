import { describe } from 'vitest';
import { crawlerRepositoryContract } from './crawler-repository.contract.ts';
import { hitBatchRepositoryContract } from './hit-batch-repository.contract.ts';
import { hitRepositoryContract } from './hit-repository.contract.ts';
import { maintenanceContract } from './maintenance.contract.ts';
import { propertiesContract } from './properties.contract.ts';
import { questionsContract } from './questions.contract.ts';
import { readsContract } from './reads.contract.ts';
import { saltRepositoryContract } from './salt-repository.contract.ts';
import { BEFORE, type MakePorts, type StatisticsPorts, settle } from './support.ts';
import { valueListsContract } from './value-lists.contract.ts';
import { zonesContract } from './zones.contract.ts';

type Settled = readonly [string, (ports: StatisticsPorts) => Promise<void>];

const SETTLED: readonly Settled[] = [
  ['hits just added', async () => {}],
  ['settled hits of days that are not over', (ports) => settle(ports, BEFORE)],
  ['settled hits of days that are over', (ports) => settle(ports)],
];

/** Of an engine that does nothing special for days that are not over. */
export const SETTLED_DAYS_THAT_ARE_OVER: readonly Settled[] = SETTLED.filter(([name]) => !name.includes('not over'));

/** The contract of the journal and of an engine that counts its hits. */
export function statisticsContract(makePorts: MakePorts, states = SETTLED): void {
  describe('hits', () => hitRepositoryContract(makePorts));
  describe('batches', () => hitBatchRepositoryContract(makePorts));
  describe('crawlers', () => crawlerRepositoryContract(makePorts));
  describe('salts', () => saltRepositoryContract(makePorts));
  describe('background work', () => maintenanceContract(makePorts));
  describe.each(states)('reads, with %s', (_, settled) => {
    describe('numbers', () => readsContract(makePorts, settled));
    describe('lists', () => valueListsContract(makePorts, settled));
    describe('properties', () => propertiesContract(makePorts, settled));
    describe('goals and funnels', () => questionsContract(makePorts, settled));
    describe('time zones', () => zonesContract(makePorts, settled));
  });
}
