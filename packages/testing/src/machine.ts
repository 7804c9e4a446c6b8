import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** What figures were measured on. */
export interface Machine {
  /** The commit, with `and changes` where the sources differ from it. */
  readonly commit: string;
  readonly node: string;
  readonly machine: string;
}

/** The folder of the repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** This machine, and the sources that run on it. */
export function describeMachine(): Machine {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  // What a run writes down, results and docs, is no change of what it measured.
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
