import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError, systemCode } from './errors.ts';
import { isAlive } from './holder.ts';
import { CLUSTER_MARK, SERVER } from './settings.ts';

const run = promisify(execFile);
const LOOK_EVERY_MS = 50;

/** Who has the process number in a folder's postmaster.pid: none of the folder's servers if it is `gone`. */
type Occupant = 'gone' | 'ours' | 'other_server';

/**
 * Makes way for a server on the folder. Call it only while holding the folder's lock: then a server that still runs there
 * has no live Hitherto. One that Hitherto started is asked to end; any is waited for, at most `waitMs` milliseconds.
 * @returns the process number that a server which is gone has left in postmaster.pid
 * @throws EmbeddedPostgresError `in_use` if it still runs after that.
 */
export async function clearFolder(clusterDir: string, waitMs: number): Promise<number | undefined> {
  const deadline = performance.now() + waitMs;
  let asked = false;
  for (;;) {
    const pid = await readPid(clusterDir);
    const occupant = pid === undefined ? 'gone' : await identify(pid, clusterDir);
    if (pid === undefined || occupant === 'gone') {
      // By the rest of postmaster.pid, PostgreSQL finds processes of a killed server. The file of the socket has only its number.
      await rm(join(clusterDir, `.s.PGSQL.${SERVER.port}.lock`), { force: true });
      return pid;
    }
    if (occupant === 'ours' && !asked) {
      asked = true;
      askToEnd(pid);
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        'in_use',
        `${clusterDir} is in use by a PostgreSQL (process ${pid}) that belongs to no Hitherto and does not end. End it, then try again.`,
      );
    }
    await wait(LOOK_EVERY_MS);
  }
}

/** Fast shutdown: rolls back, writes a checkpoint, ends. */
function askToEnd(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

async function readPid(clusterDir: string): Promise<number | undefined> {
  try {
    const pid = Number.parseInt(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function identify(pid: number, clusterDir: string): Promise<Occupant> {
  if (!isAlive(pid)) return 'gone';
  if (process.platform === 'linux') {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    try {
      // A server's current folder is the one it serves.
      if ((await readlink(`/proc/${pid}/cwd`)) !== (await realpath(clusterDir))) return 'gone';
    } catch (error) {
      // Root without CAP_SYS_PTRACE may not see it, and must not end a server that may serve another folder.
      const isHidden = systemCode(error) === 'EACCES' || systemCode(error) === 'EPERM';
      const mayServe = isHidden && command.includes('postgres') && (await isOfOwner(pid, clusterDir));
      return mayServe ? 'other_server' : 'gone';
    }
    return command.includes(CLUSTER_MARK) ? 'ours' : 'other_server';
  }
  const command = await run('ps', ['-p', String(pid), '-o', 'command=']).then(
    ({ stdout }) => stdout,
    () => '',
  );
  if (command.includes(CLUSTER_MARK)) return 'ours';
  return command.includes('postgres') ? 'other_server' : 'gone';
}

/** Whether the process runs as the owner of the folder, as every server on it does. */
async function isOfOwner(pid: number, clusterDir: string): Promise<boolean> {
  const process = await stat(`/proc/${pid}`).catch(() => undefined);
  return process?.uid === (await stat(clusterDir)).uid;
}
