import { timeZone } from '@hitherto/domain/calendar';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { runs } from '@hitherto/testing/runs';
import { describe } from 'vitest';
import { createInMemoryRepositories } from '../../src/in-memory/index.ts';
import { useClickHouse } from './clickhouse-ports.ts';
import { historiesContract } from './histories.contract.ts';
import { readingContract, SETTLED_DAYS_THAT_ARE_OVER } from './statistics.contract.ts';

/** Its clocks change by half an hour, so that its hours begin on the hour or half hour of UTC. */
const ZONE = 'Australia/Lord_Howe';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse that are summarised', () => {
  readingContract(useClickHouse(), [SETTLED_DAYS_THAT_ARE_OVER]);

  describe('random histories', () => {
    const makeExpected = async () => createInMemoryRepositories(timeZone(ZONE));
    historiesContract(useClickHouse(ZONE), makeExpected, runs(40, 1_000));
  });
});
