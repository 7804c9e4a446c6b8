import { describe } from 'vitest';
import { createInMemoryStore } from '../../src/in-memory/index.ts';
import { statisticsContract } from './statistics.contract.ts';

describe('statistics in memory', () => statisticsContract(async () => createInMemoryStore()));
