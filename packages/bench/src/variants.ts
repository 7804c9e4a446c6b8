import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@hitherto/testing/free-port';
import { start, stop } from '@hitherto/testing/processes';

export type VariantName = 'bare' | 'usual' | 'hitherto' | 'quiet' | 'embedded';

/** The description of each variant in the report. */
export const VARIANTS: Record<VariantName, string> = {
  bare: 'node:http + pg, named statements, two queries (= 1)',
  usual: 'Fastify + TypeBox + Kysely as usually written, two queries',
  hitherto: 'Hitherto on PostgreSQL, as shipped',
  quiet: 'Hitherto on PostgreSQL, logs and limits off',
  embedded: 'Hitherto embedded, as shipped',
};

/** A running server. */
export interface RunningVariant {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
/** The real program. */
const MAIN = here('../../../apps/hitherto/dist/main.js');
/** As `npm start` starts it. */
const SERVE = ['--max-semi-space-size=4', MAIN, 'serve'];
/** Limits are on, but so high that nothing is refused. */
const NO_REFUSALS = { RATE_LIMIT_PER_MINUTE: '1000000' };
const READY_WITHIN_MS = 60_000;

/** Starts a variant in its own process. */
export function startVariant(
  name: VariantName,
  database: { readonly url: string; readonly dataDir?: string },
): Promise<RunningVariant> {
  const remote = { DATABASE_URL: database.url };
  const programs: Record<VariantName, Server> = {
    bare: { args: [here('./variants/bare.js')], env: remote, health: '/' },
    usual: { args: [here('./variants/usual.js')], env: remote, health: '/' },
    hitherto: { args: SERVE, env: { ...remote, ...NO_REFUSALS }, health: '/readyz' },
    quiet: {
      args: SERVE,
      env: { ...remote, RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent' },
      health: '/readyz',
    },
    embedded: {
      args: SERVE,
      env: { DATA_DIR: database.dataDir ?? '', ...NO_REFUSALS },
      health: '/readyz',
    },
  };
  return startServer(name, programs[name]);
}

/** The program, as `npm start` starts it, on this database; clients are in `X-Forwarded-For`. */
export function startHitherto(databaseUrl: string): Promise<RunningVariant> {
  const env = { DATABASE_URL: databaseUrl, ...NO_REFUSALS, TRUST_PROXY: '127.0.0.1' };
  return startServer('hitherto', { args: SERVE, env, health: '/readyz' });
}

/** A program of the folder `variants` on this database. */
export function startRival(name: string, databaseUrl: string): Promise<RunningVariant> {
  return startServer(name, { args: [here(`./variants/${name}.js`)], env: { DATABASE_URL: databaseUrl }, health: '/' });
}

interface Server {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly health: string;
}

/** Starts a server in its own process, with its log in a file, and waits until it responds. */
async function startServer(name: string, { args, env, health }: Server): Promise<RunningVariant> {
  const port = await freePort();
  const own = { PORT: String(port), NODE_ENV: 'production', PATH: process.env.PATH ?? '' };
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-bench-log-'));
  const log = openSync(join(folder, 'log'), 'w');
  const child = start(process.execPath, args, { env: { ...own, ...env }, stdio: ['ignore', log, 'inherit'] });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  await untilResponding(`${url}${health}`, name, () => child.exitCode !== null);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The rivals have no health check: any response that is not a server error will do. */
async function untilResponding(url: string, name: string, hasEnded: () => boolean): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; ; await sleep(50)) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 0,
    );
    if (status >= 200 && status < 500) return;
    if (hasEnded() || Date.now() > deadline) throw new Error(`The variant "${name}" did not come up.`);
  }
}
