import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { root } from './machine.ts';

/** Writes a file of the repository as the formatter would leave it, so that the next check finds nothing to say. */
export function writeFormatted(file: string, text: string): void {
  writeFileSync(file, text);
  // A file that Git ignores is none of the formatter's, which is no fault.
  const options = ['--write', '--no-errors-on-unmatched'];
  execFileSync(`${root}node_modules/.bin/biome`, ['format', ...options, file], { cwd: root, stdio: 'pipe' });
}
