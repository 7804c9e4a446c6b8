import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from '@hitherto/testing/machine';

/** Packages of the workspace with dependencies that are not in the bundle. */
const WITH_SEPARATE = ['packages/outside', 'packages/embedded-postgres'];

/**
 * Bundles the last build as it is published, which starts in half the time, and links the packages that npm installs next to it.
 * Returns the folder.
 */
export async function bundleProgram(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-bundle-'));
  const target = join(folder, 'hitherto');
  const script = `const { bundle } = await import(${JSON.stringify(pathToFileURL(join(root, 'scripts/bundle.mjs')).href)});
    await bundle(${JSON.stringify(target)});`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);

  const manifest = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const places = WITH_SEPARATE.map((place) => join(root, place, 'node_modules', name));
    // Packages of other platforms are not installed.
    const place = places.find((each) => existsSync(each));
    if (place === undefined) continue;
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(place, link);
  }
  return target;
}
