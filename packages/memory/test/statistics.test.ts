import {
  engineContract,
  JUST_ADDED,
  readingContract,
  recordsContract,
} from '@hitherto/contracts/statistics/statistics';
import { describe } from 'vitest';
import { createInMemoryRepositories } from '../src/index.ts';

describe('statistics in memory', () => {
  const makePorts = async () => createInMemoryRepositories();
  engineContract(makePorts);
  recordsContract(makePorts);
  readingContract(makePorts, [JUST_ADDED]);
});
