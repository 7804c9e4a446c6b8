import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { root } from './machine.ts';

/** Writes a file of the repository and formats it. */
export function writeFormatted(file: string, text: string): void {
  writeFileSync(file, text);
  // The formatter skips files that Git ignores; that is not an error.
  const options = ['--write', '--no-errors-on-unmatched'];
  execFileSync(`${root}node_modules/.bin/biome`, ['format', ...options, file], { cwd: root, stdio: 'pipe' });
}
