import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A stand-in for a ClickHouse server. */
export interface ClickHouseServer {
  /** Without a database. */
  readonly url: string;
  readonly pid: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port and folder. */
  restart(): Promise<void>;
  /** Runs a statement as {@link queryClickHouse} does. */
  query(statement: string): Promise<string>;
  /** Ends it and removes its folder. */
  close(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('../dist/clickhouse/server.js', import.meta.url));

/** Whether tests on ClickHouse are left out, because somebody asked for it. */
export const skipsClickHouse = Boolean(process.env.SKIP_CLICKHOUSE);

export interface ClickHouseOptions {
  /** Where its folder is made; in memory by default, if there is enough. */
  readonly parent?: string;
  /** How many threads a query has; all cores by default. Many small queries are faster with one. */
  readonly threads?: number;
}

/** Starts a stand-in over chdb with an empty folder. Where chdb does not run, it fails with instructions. */
export async function startClickHouse({ parent, threads = 0 }: ClickHouseOptions = {}): Promise<ClickHouseServer> {
  requireChdb();
  const folder = await mkdtemp(join(parent ?? (await parentFolder()), 'hitherto-clickhouse-'));
  let running = await launch(folder, 0, threads);
  const { port } = running;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  const url = `http://127.0.0.1:${port}`;
  const close = async () => {
    await end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  return {
    url,
    get pid() {
      return running.child.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    async restart() {
      running = await launch(folder, port, threads);
    },
    query: (statement) => queryClickHouse(url, statement),
    close,
  };
}

/**
 * Runs a statement, and returns the text of its response.
 * @throws with the server's message if it fails
 */
export async function queryClickHouse(url: string, statement: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', body: statement });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Memory where there is enough, because tables are written with fsync; the data outlives the process either way. */
async function parentFolder(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 2 ** 30 ? memory : tmpdir();
}

async function launch(folder: string, port: number, threads: number) {
  // chdb reads a configuration in its working directory.
  const child = spawn(process.execPath, [SERVER, join(folder, 'data'), String(port), String(threads)], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    const ready = /ready (\d+)/.exec(output)?.[1];
    if (ready !== undefined) return { child, port: Number(ready) };
  }
  throw new Error('The stand-in for ClickHouse did not start.');
}

function requireChdb(): void {
  try {
    createRequire(import.meta.url)('chdb');
  } catch (error) {
    throw new Error(
      `chdb does not run on this machine (${process.platform} ${process.arch}), so ClickHouse cannot be tested: set SKIP_CLICKHOUSE=1 to leave these tests out.`,
      { cause: error },
    );
  }
}
