import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
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
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('../dist/clickhouse/server.js', import.meta.url));

/** Whether tests on ClickHouse are left out, because somebody asked for it. */
export const skipsClickHouse = Boolean(process.env.SKIP_CLICKHOUSE);

/** Starts a stand-in over chdb with an empty folder. Fails where chdb does not run, with what to do. */
export async function startClickHouse(): Promise<ClickHouseServer> {
  requireChdb();
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-clickhouse-'));
  let running = await launch(folder, 0);
  const { port } = running;
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const { child } = running;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get pid() {
      return running.child.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    async restart() {
      running = await launch(folder, port);
    },
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function launch(folder: string, port: number) {
  // chdb reads a configuration in its working directory.
  const child = spawn(process.execPath, [SERVER, join(folder, 'data'), String(port)], {
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
