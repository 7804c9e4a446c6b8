import { describe } from 'vitest';
import { createInMemoryRepositories } from '../../src/in-memory/index.ts';
import { statisticsContract } from './statistics.contract.ts';

describe('statistics in memory', () => statisticsContract(async () => createInMemoryRepositories()));
