import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { testConfig } from '../../vitest.shared.ts';

/** The files that take longest. They are small, because their tests are in contracts, and Vitest starts large files first. */
const LONGEST = [
  'statistics-clickhouse.test.ts',
  'summarised-clickhouse.test.ts',
  'statistics-postgres.test.ts',
  'postgres-upgrade.test.ts',
  'postgres.test.ts',
];

/** Starts the longest files first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((name) => moduleId.endsWith(`/${name}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// The tests mostly wait for a server, so more of them run at a time than there are cores.
export default testConfig({
  globalSetup: ['test/global-setup.ts'],
  maxWorkers: 4,
  sequence: { sequencer: LongestFirst },
});
