import { describe } from 'vitest';
import { hitBatchRepositoryContract } from './hit-batch-repository.contract.ts';
import { hitRepositoryContract } from './hit-repository.contract.ts';
import { maintenanceContract } from './maintenance.contract.ts';
import { propertiesContract } from './properties.contract.ts';
import { questionsContract } from './questions.contract.ts';
import { readsContract } from './reads.contract.ts';
import { saltRepositoryContract } from './salt-repository.contract.ts';
import { type MakePorts, type StatisticsPorts, summariseAll, untilDone } from './support.ts';
import { valueListsContract } from './value-lists.contract.ts';

const SETTLED: readonly [string, (ports: StatisticsPorts) => Promise<void>][] = [
  ['hits just added', async () => {}],
  ['visits up to date', ({ maintenance }) => untilDone(() => maintenance.updateVisits())],
  ['days summarised', summariseAll],
];

/** The contract of all ports of statistics. */
export function statisticsContract(makePorts: MakePorts): void {
  describe('hits', () => hitRepositoryContract(makePorts));
  describe('batches', () => hitBatchRepositoryContract(makePorts));
  describe('salts', () => saltRepositoryContract(makePorts));
  describe('background work', () => maintenanceContract(makePorts));
  describe.each(SETTLED)('reads, with %s', (_, settle) => {
    describe('numbers', () => readsContract(makePorts, settle));
    describe('lists', () => valueListsContract(makePorts, settle));
    describe('properties', () => propertiesContract(makePorts, settle));
    describe('goals and funnels', () => questionsContract(makePorts, settle));
  });
}
