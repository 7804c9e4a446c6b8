import { engineContract } from '@hitherto/contracts/statistics/statistics';
import { longListsContract } from '@hitherto/contracts/statistics/value-lists';
import { skipsClickHouse } from '@hitherto/testing/clickhouse';
import { describe } from 'vitest';
import { useClickHouse } from './ports.ts';

describe.skipIf(skipsClickHouse)('statistics in ClickHouse', () => {
  const makePorts = useClickHouse();
  engineContract(makePorts, false);
  // Other lists of hits just added are those of the random histories in summarised.test.ts.
  describe('a day just added, with very many values', () => longListsContract(makePorts, async () => {}));
});
