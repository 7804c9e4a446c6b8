import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../src/machine.ts';

const execute = promisify(execFile);

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

  /** What a script prints. */
  const run = async (script: string, env: Record<string, string> = {}) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', NODE_OPTIONS: `--require ${hiding}`, ...env } };
    return (await execute(process.execPath, ['--input-type=module', '--eval', script], options)).stdout;
  };

  const module = pathToFileURL(join(root, 'packages/testing/dist/clickhouse.js')).href;

  test('tests of ClickHouse fail with one sentence that says what to do', async () => {
    const script = `(await import('${module}')).startClickHouse().catch((error) => console.log(error.message))`;

    expect(await run(script)).toBe(
      `chdb does not run on this machine (${process.platform} ${process.arch}), so ClickHouse cannot be tested: set SKIP_CLICKHOUSE=1 to leave these tests out.\n`,
    );
  });

  test('SKIP_CLICKHOUSE=1 leaves them out', async () => {
    const script = `console.log((await import('${module}')).skipsClickHouse)`;

    expect([await run(script), await run(script, { SKIP_CLICKHOUSE: '1' })]).toEqual(['false\n', 'true\n']);
  });
});
