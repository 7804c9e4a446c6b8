import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '@hitherto/testing/folder';
import { withScope } from '@hitherto/testing/scope';
import { docker } from './containers.ts';

/** The size of an image's compressed layers, as registries store them, in megabytes. */
export function compressedMegabytes(image: string): Promise<number> {
  return withScope(async (open) => {
    const { path } = await open(newFolder());
    await docker('save', '--output', join(path, 'image.tar'), image);
    await run('tar', ['-xf', 'image.tar'], path);
    const layers = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name !== 'image.tar' && statSync(join(path, name)).size > 100_000,
    );
    await run('gzip', ['--keep', ...layers], path);
    return layers.reduce((sum, name) => sum + statSync(join(path, `${name}.gz`)).size, 0) / 1e6;
  });
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  await promisify(execFile)(command, args, { cwd });
}
