import { engineContract } from '@hitherto/contracts/statistics/statistics';
import { valueListsContract } from '@hitherto/contracts/statistics/value-lists';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe } from 'vitest';
import { useClickHouse } from './ports.ts';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse', () => {
  const makePorts = useClickHouse();
  engineContract(makePorts);
  describe('lists of hits just added', () => valueListsContract(makePorts, async () => {}));
});
