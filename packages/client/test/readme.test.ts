import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProgram } from '@hitherto/testing/program';
import { expect, onTestFinished, test } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

test('the example of the README works', async () => {
  const program = await startProgram();
  onTestFinished(program.stop);
  const readme = await readFile(`${folder}README.md`, 'utf8');
  const [, lines = ''] = /```js\n(.*?)```/s.exec(readme) ?? [];

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], {
    cwd: folder,
    env: { HITHERTO_URL: program.baseUrl, HITHERTO_KEY: program.key },
  });

  expect(lines.trim().split('\n')).toHaveLength(5);
  expect(stdout).toMatch(/^[-0-9a-f]{36} https:\/\/example\.com new\n$/);
});
