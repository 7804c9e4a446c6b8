import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { root } from './machine.ts';

/** Writes a file of the repository as the formatter would leave it, so that the next check finds nothing to say. */
export function writeFormatted(file: string, text: string): void {
  writeFileSync(file, text);
  execFileSync(`${root}node_modules/.bin/biome`, ['format', '--write', file], { cwd: root, stdio: 'pipe' });
}
