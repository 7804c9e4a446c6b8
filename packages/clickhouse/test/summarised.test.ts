import { historiesContract } from '@hitherto/contracts/statistics/histories';
import { readingContract, SETTLED_DAYS_THAT_ARE_OVER } from '@hitherto/contracts/statistics/statistics';
import { timeZone } from '@hitherto/domain/calendar';
import { createInMemoryRepositories } from '@hitherto/memory';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { runs } from '@hitherto/testing/runs';
import { describe } from 'vitest';
import { useClickHouse } from './ports.ts';

/** Its clocks change by half an hour, so that its hours begin on the hour or half hour of UTC. */
const ZONE = 'Australia/Lord_Howe';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse that are summarised', () => {
  readingContract(useClickHouse(), [SETTLED_DAYS_THAT_ARE_OVER]);

  describe('random histories', () => {
    const makeExpected = async () => createInMemoryRepositories(timeZone(ZONE));
    historiesContract(useClickHouse(ZONE), makeExpected, runs(8, 1_000));
  });
});
