import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type EmbeddedConnection, startEmbeddedPostgres } from '../src/index.ts';

/** What a holder tells; see holder.fixture.mjs. */
interface HolderEvent {
  event: 'log' | 'progress' | 'ready' | 'interrupted' | 'stopped' | 'refused';
  text?: string;
  code?: string;
  message?: string;
  connection?: EmbeddedConnection;
}

/** A real process that holds a folder. */
interface HolderProcess {
  readonly pid: number;
  readonly events: readonly HolderEvent[];
  /** The first event of that kind; fails when the process ends before. */
  next(event: HolderEvent['event']): Promise<HolderEvent>;
  stop(): Promise<void>;
  /** As `kill -9`. */
  kill(): Promise<void>;
}

/** Folders and processes of one test, and the removal of both. */
export function openWorld() {
  const folders: string[] = [];
  const children: ChildProcess[] = [];
  let template: string | undefined;

  return {
    async folder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'hitherto-embedded é-'));
      folders.push(folder);
      return folder;
    },
    /** A folder with a database in it, which takes no time to prepare. */
    async prepared(): Promise<string> {
      const folder = await this.folder();
      template ??= await prepareDatabase(await mkdtemp(join(tmpdir(), 'hitherto-embedded-')));
      // Keeps the owner, who for root is another user.
      execFileSync('cp', ['-Rp', join(template, 'postgres'), folder]);
      return folder;
    },
    holder(
      role: 'service' | 'command' | 'companion',
      dataDir: string,
      environment: Record<string, string> = {},
      /** A command that runs it. */
      within: readonly string[] = [],
    ): HolderProcess {
      const program = fileURLToPath(new URL('holder.fixture.mjs', import.meta.url));
      const [command = process.execPath, ...rest] = [...within, process.execPath, program, role, dataDir, 'fsync=off'];
      const child = spawn(command, rest, {
        stdio: ['pipe', 'pipe', 'inherit'],
        detached: true,
        env: { ...process.env, ...environment },
      });
      children.push(child);
      return followHolder(child);
    },
    async close(): Promise<void> {
      for (const child of children.splice(0)) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null)
          await new Promise((resolve) => child.once('exit', resolve));
      }
      for (const folder of folders.splice(0)) {
        await rm(folder, { recursive: true, force: true, maxRetries: 20 });
      }
    },
    /** After the last test. */
    async closeAll(): Promise<void> {
      await this.close();
      if (template) await rm(template, { recursive: true, force: true });
    },
  };
}

async function prepareDatabase(dataDir: string): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
  await server.stop();
  return dataDir;
}

function followHolder(child: ChildProcess): HolderProcess {
  const events: HolderEvent[] = [];
  let ended = false;
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.map((line): HolderEvent => JSON.parse(line)));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => {
      ended = true;
      resolve();
    });
  });

  return {
    pid: child.pid ?? 0,
    events,
    async next(kind) {
      for (;;) {
        const found = events.find(({ event }) => event === kind);
        if (found) return found;
        if (ended) throw new Error(`The holder ended without "${kind}": ${JSON.stringify(events)}`);
        await wait(10);
      }
    },
    async stop() {
      child.stdin?.end();
      await closed;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Runs one statement over a connection of its own. */
export async function query(
  connection: EmbeddedConnection | string | undefined,
  text: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(typeof connection === 'string' ? { connectionString: connection } : { ...connection });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The process number of the server on a folder. */
export async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
}

/** The process that started another one. */
export function parentPid(pid: number): number {
  return Number(processFields(pid)?.[1]);
}

/** The processes that another one started and that still run. */
export function childPids(pid: number): number[] {
  const all =
    process.platform === 'linux'
      ? readdirSync('/proc')
      : spawnSync('ps', ['-A', '-o', 'pid='], { encoding: 'utf8' }).stdout.split('\n');
  return all.map(Number).filter((other) => other > 0 && parentPid(other) === pid);
}

/** Resolves once no process has this number, or only a dead one's parent still does. */
export async function untilGone(pid: number): Promise<void> {
  for (;;) {
    const state = processFields(pid)?.[0];
    if (state === undefined || state.startsWith('Z')) return;
    await wait(10);
  }
}

/** State and parent of a process; undefined when there is none. */
function processFields(pid: number): string[] | undefined {
  if (process.platform !== 'linux') {
    const { status, stdout } = spawnSync('ps', ['-o', 'stat=,ppid=', '-p', String(pid)], { encoding: 'utf8' });
    return status === 0 ? stdout.trim().split(/\s+/) : undefined;
  }
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
  } catch {
    return undefined;
  }
}

/** Resolves with the value of `attempt`, once it no longer throws. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await wait(20);
    }
  }
}
