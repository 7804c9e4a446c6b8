import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Packages of the workspace are loaded from their sources, so that no test runs on an old build. */
const resolve = { conditions: ['@hitherto/source', 'module', 'node', 'development|production'] };

const MEMORY = '/dev/shm';
const RUN = 'hitherto-run-';
/** What the databases of a run need at most, with room to spare. */
const ENOUGH = 4 * 2 ** 30;

/**
 * Makes the temporary files of a run in memory, where there is enough: databases write thousands of them, and none outlives the
 * run. Removes those of killed runs first.
 */
function useMemory(): void {
  if (process.env.TMPDIR !== undefined) return;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH) return;
    for (const name of readdirSync(MEMORY).filter((name) => name.startsWith(RUN))) {
      if (!isAlive(Number.parseInt(name.slice(RUN.length), 10))) remove(join(MEMORY, name));
    }
    const folder = mkdtempSync(join(MEMORY, `${RUN}${process.pid}-`));
    // The user that PostgreSQL runs as has folders in it.
    chmodSync(folder, 0o711);
    process.env.TMPDIR = folder;
    process.once('exit', () => remove(folder));
  } catch {
    // There is no such folder on this machine.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // It is another user's.
  }
}

useMemory();

/** Vitest 4 cannot read the modules of global setups, which it loads into its own process, from its cache. */
const uncachedSetups: Plugin = {
  name: 'uncached-setups',
  configureVitest: ({ experimental_defineCacheKeyGenerator: define }) => {
    define(({ environment }) => (environment.name === '__vitest__' ? false : undefined));
  },
};

/**
 * The configuration of a package's tests: the report that scripts/test.mjs adds up, and limits for slow machines. All packages
 * have the same root: transformed modules are only used again under the root that they were transformed for.
 */
export function testConfig(test: ViteUserConfig['test'] = {}): ViteUserConfig {
  const folder = process.cwd();
  const setup = join(folder, 'test/global-setup.ts');
  return defineConfig({
    root: import.meta.dirname,
    cacheDir: join(folder, 'node_modules/.vite'),
    plugins: [uncachedSetups],
    // `__vitest__` loads the global setup.
    environments: { ssr: { resolve }, __vitest__: { resolve } },
    test: {
      dir: folder,
      include: ['test/**/*.test.ts'],
      // Half of the tests wait for a program or a database most of the time.
      maxWorkers: 2,
      // No test changes anything that its file does not own, so files may share loaded modules.
      isolate: false,
      experimental: { fsModuleCache: true },
      globalSetup: existsSync(setup) ? [setup] : [],
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // A poll that will succeed may take longer than Vitest's second on a busy machine.
      expect: { poll: { timeout: 10_000 } },
      reporters: ['default', ['json', { outputFile: join(folder, 'reports/vitest.json') }]],
      ...test,
    },
  });
}

/**
 * The configuration of the tests of a database. The files that take longest start first, so that none of them runs alone at
 * the end; they are small, because their tests are contracts, and Vitest would start large files first.
 */
export function databaseConfig(longest: readonly string[]): ViteUserConfig {
  const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.endsWith(`/${name}`));
  class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files);
      return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    }
  }
  return testConfig({ sequence: { sequencer: LongestFirst } });
}
