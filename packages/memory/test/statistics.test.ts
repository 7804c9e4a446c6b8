import { statisticsContract } from '@hitherto/contracts/statistics/statistics';
import { describe } from 'vitest';
import { createInMemoryRepositories } from '../src/index.ts';

describe('statistics in memory', () => statisticsContract(async () => createInMemoryRepositories()));
