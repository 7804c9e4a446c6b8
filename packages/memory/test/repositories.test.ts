import { repositoriesContract } from '@hitherto/contracts/repositories';
import { describe } from 'vitest';
import { createInMemoryRepositories } from '../src/index.ts';

const makeRepositories = async () => createInMemoryRepositories();

describe('the in-memory adapters', () => repositoriesContract(makeRepositories, makeRepositories));
