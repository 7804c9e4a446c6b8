import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@hitherto/testing/folder';
import { freePort } from '@hitherto/testing/free-port';
import { root } from '@hitherto/testing/machine';
import { start, stop } from '@hitherto/testing/processes';

/** A running server. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

type Env = Readonly<Record<string, string>>;

/** The program. */
export const MAIN = join(root, 'apps/hitherto/dist/main.js');
const READY_WITHIN_MS = 60_000;

/** Starts Node in production mode. From the environment of this process it gets only PATH. */
export function startNode(args: readonly string[], env: Env, stdio: StdioOptions): ChildProcess {
  const all = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...env };
  return start(process.execPath, args, { env: all, stdio });
}

/**
 * The program, as `npm start` starts it, on the database that `env` names. Clients are in `X-Forwarded-For`, and limits are so
 * high that nothing is rejected.
 */
export function startHitherto(env: Env): Promise<RunningServer> {
  const settings = { RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: '127.0.0.1', ...env };
  return startServer(['--max-semi-space-size=4', MAIN, 'serve'], settings, '/readyz');
}

/** The baseline `bare.ts` on this database. */
export function startBare(databaseUrl: string): Promise<RunningServer> {
  const file = fileURLToPath(new URL('./bare.ts', import.meta.url));
  return startServer([...process.execArgv, file], { DATABASE_URL: databaseUrl }, '/');
}

/** Starts a server with its log in a file, and waits for a response that is not a server error. */
async function startServer(args: readonly string[], env: Env, health: string): Promise<RunningServer> {
  const port = await freePort();
  const folder = newFolder();
  const file = join(folder.path, 'log');
  const log = openSync(file, 'w');
  const child = startNode(args, { PORT: String(port), ...env }, ['ignore', log, 'inherit']);
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    const { status } = await fetch(url + health).catch(() => ({ status: 0 }));
    if (status >= 200 && status < 500) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`${args.join(' ')} did not come up. Its log: ${file}`);
    }
  }
  return { url, pid: child.pid ?? 0, close: () => stop(child).then(folder.close) };
}
