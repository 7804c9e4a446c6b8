import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Packages of the workspace are loaded from their sources, so that no test runs on an old build. */
const resolve = { conditions: ['@hitherto/source', 'module', 'node', 'development|production'] };

/** The configuration of a package's tests: the report that scripts/test.mjs adds up, and limits for slow machines. */
export function testConfig(test: ViteUserConfig['test'] = {}): ViteUserConfig {
  return defineConfig({
    // `__vitest__` loads the global setup.
    environments: { ssr: { resolve }, __vitest__: { resolve } },
    test: {
      include: ['test/**/*.test.ts'],
      // Half of the tests wait for a program or a database most of the time.
      maxWorkers: 2,
      // No test changes anything that its file does not own, so files may share loaded modules.
      isolate: false,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // A poll that will succeed may take longer than Vitest's second on a busy machine.
      expect: { poll: { timeout: 10_000 } },
      reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
      ...test,
    },
  });
}

/**
 * The configuration of the tests of a database, most of which wait for a server, so more of them run at a time than there are
 * cores. The files that take longest start first, so that none of them runs alone at the end; they are small, because their
 * tests are contracts, and Vitest would start large files first.
 */
export function databaseConfig(longest: readonly string[]): ViteUserConfig {
  const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/${name}`));
  class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    }
  }
  return testConfig({ globalSetup: ['test/global-setup.ts'], maxWorkers: 4, sequence: { sequencer: LongestFirst } });
}
