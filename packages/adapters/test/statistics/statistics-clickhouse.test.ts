import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe } from 'vitest';
import { useClickHouse } from './clickhouse-ports.ts';
import { JUST_ADDED, journalContract, readingContract } from './statistics.contract.ts';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse', () => {
  const makePorts = useClickHouse();
  journalContract(makePorts);
  readingContract(makePorts, [JUST_ADDED]);
});
