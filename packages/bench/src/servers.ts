import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@hitherto/testing/free-port';
import { root } from '@hitherto/testing/machine';
import { start, stop } from '@hitherto/testing/processes';

/** A running server. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/**
 * The program, as `npm start` starts it, on the database that `env` names. Clients are in `X-Forwarded-For`, and limits are so
 * high that nothing is rejected.
 */
export function startHitherto(env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const args = ['--max-semi-space-size=4', join(root, 'apps/hitherto/dist/main.js'), 'serve'];
  const settings = { RATE_LIMIT_PER_MINUTE: '1000000', TRUST_PROXY: '127.0.0.1', ...env };
  return startServer(args, settings, '/readyz');
}

/** The baseline `bare.ts` on this database. */
export function startBare(databaseUrl: string): Promise<RunningServer> {
  const file = fileURLToPath(new URL('./bare.js', import.meta.url));
  return startServer([file], { DATABASE_URL: databaseUrl }, '/');
}

/** Starts a server in its own process, with its log in a file, and waits for a response that is not a server error. */
async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  health: string,
): Promise<RunningServer> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-bench-log-'));
  const log = openSync(join(folder, 'log'), 'w');
  const child = start(process.execPath, args, {
    env: { PORT: String(port), NODE_ENV: 'production', PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', log, 'inherit'],
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    const { status } = await fetch(url + health).catch(() => ({ status: 0 }));
    if (status >= 200 && status < 500) break;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${args.join(' ')} did not come up.`);
  }
  return {
    url,
    pid: child.pid ?? 0,
    async close() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
