import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.mjs';

const LOCKING = [
  'install',
  '--package-lock-only',
  '--omit-lockfile-registry-resolved',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
];

/**
 * Locks the dependencies of a package to the checksums in pnpm-lock.yaml, for everybody who installs it.
 *
 * @param {string} folder of the package
 */
export function lock(folder) {
  execFileSync('npm', [...LOCKING, '--loglevel=error'], { cwd: folder, stdio: ['ignore', 2, 2] });
  const file = join(folder, 'package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const known = checksums();
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const id = `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
    if (path !== '' && known.get(id) !== integrity) throw new Error(`${id} is not the package in pnpm-lock.yaml.`);
  }
  renameSync(file, join(folder, 'npm-shrinkwrap.json'));
}

/** The checksums of all packages, by name and version. */
function checksums() {
  const text = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  const found = text.matchAll(/^ {2}'?([^\s']+@[^\s':]+)'?:\n {4}resolution: \{integrity: (\S+)\}/gm);
  return new Map([...found].map(([, id, integrity]) => [id, integrity]));
}
