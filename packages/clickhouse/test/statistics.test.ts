import { JUST_ADDED, journalContract, readingContract } from '@hitherto/contracts/statistics/statistics';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe } from 'vitest';
import { useClickHouse } from './ports.ts';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse', () => {
  const makePorts = useClickHouse();
  journalContract(makePorts);
  readingContract(makePorts, [JUST_ADDED]);
});
