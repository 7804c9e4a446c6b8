import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The machine and the sources that figures were measured on. */
export interface Machine {
  /** The commit, with `and changes` if the sources differ from it. */
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
}

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The version of all packages. */
export const version: string = JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version;

/** This machine, and the sources that run on it. */
export function describeMachine(): Machine {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  // The results and docs that a run writes do not change what it measured.
  const changes = git('status', '--porcelain', '--', 'apps', 'packages', ':(exclude,glob)packages/*/results/**');
  return {
    commit: git('rev-parse', '--short', 'HEAD') + (changes === '' ? '' : ' and changes'),
    node: process.version,
    machine: `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${memory} GB, ${process.platform} ${process.arch}`,
  };
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
