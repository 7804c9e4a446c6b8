import { defineConfig, type ViteUserConfig } from 'vitest/config';

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
