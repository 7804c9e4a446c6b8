import { type ExecFileException, execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../src/machine.ts';

/** Makes `chdb` fail to load, as it does where it has no library for the platform. */
const HIDE_CHDB = `
  const Module = require('node:module');
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name === 'chdb') throw new Error('no native library');
    return load(name, ...rest);
  };`;

describe('where chdb is missing', () => {
  let folder: string;
  let hiding: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hitherto-no-chdb-'));
    hiding = join(folder, 'hide-chdb.cjs');
    await writeFile(hiding, HIDE_CHDB);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], env: Record<string, string>, cwd: string) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const options = { cwd, env: { PATH: process.env.PATH ?? '', NODE_OPTIONS: `--require ${hiding}`, ...env } };
      execFile(process.execPath, args, options, (error: ExecFileException | null, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  test('tests of ClickHouse fail with one sentence that says what to do', async () => {
    const module = pathToFileURL(join(root, 'packages/testing/dist/clickhouse.js')).href;
    const script = `(await import('${module}')).startClickHouse().catch((error) => console.log(error.message))`;

    const { stdout } = await run(['--input-type=module', '--eval', script], {}, folder);

    expect(stdout).toBe(
      `chdb does not run on this machine (${process.platform} ${process.arch}), so ClickHouse cannot be tested: set SKIP_CLICKHOUSE=1 to leave these tests out.\n`,
    );
  });

  test('SKIP_CLICKHOUSE=1 leaves them out', async () => {
    const cwd = join(root, 'apps/hitherto');
    const vitest = join(dirname(createRequire(join(cwd, 'package.json')).resolve('vitest/package.json')), 'vitest.mjs');
    // Without the reporter that writes the report of the package.
    const args = [vitest, 'run', 'test/engines.test.ts', '--reporter=default'];

    const skipped = await run(args, { SKIP_CLICKHOUSE: '1', NO_COLOR: '1' }, cwd);

    expect(skipped.code).toBe(0);
    expect(skipped.stdout).toMatch(/^\s+Tests\s+1 skipped \(1\)$/m);
  });
});
