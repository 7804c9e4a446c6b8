import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { dataFolder, emptyFolder, MAIN, startService } from './support/program.ts';

/** The tour begins in the README and goes on in docs/tour.md. */
const DOCUMENTS = ['README.md', 'docs/tour.md'].map((name) =>
  fileURLToPath(new URL(`../../../${name}`, import.meta.url)),
);
const CURL = fileURLToPath(new URL('support/curl.mjs', import.meta.url));

/** Folder with programs that replace curl in the tour, and npm as far as it starts Hitherto. */
async function standIns(): Promise<string> {
  const folder = await emptyFolder();
  const scripts = {
    curl: `exec "${process.execPath}" "${CURL}" "$@"`,
    npm: `[ "$1 $2 $3 $4" = 'run --silent hitherto --' ] || exit 2; shift 4; exec "${process.execPath}" "${MAIN}" "$@"`,
  };
  for (const [name, line] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

test('the tour runs as documented, and each request has its documented status', async () => {
  const DATA_DIR = await dataFolder();
  const STATUS_LOG = join(await emptyFolder(), 'statuses');
  const service = await startService({ DATA_DIR });
  const texts = await Promise.all(DOCUMENTS.map((file) => readFile(file, 'utf8')));
  const blocks = [...texts.join('\n').matchAll(/^```sh tour\n(.*?)^```$/gms)].map(([, block]) => block);
  const tour = blocks.join('\n').replaceAll('http://localhost:3000', service.url);
  const PATH = `${await standIns()}:${process.env.PATH}`;

  await promisify(execFile)('sh', ['-eu', '-c', tour], { env: { PATH, DATA_DIR, STATUS_LOG } });
  const statuses = (await readFile(STATUS_LOG, 'utf8')).trim().split('\n');
  await service.stop();

  expect(blocks).toHaveLength(10);
  expect(statuses).toEqual([...tour.matchAll(/# (\d{3})$/gm)].map(([, status]) => status));
});
