import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start } from '@hitherto/testing/processes';
import { openClient } from './client.ts';
import { checkConnections, recording } from './connections.ts';
import { lookForSecretsIn, outputScanner } from './secrets.ts';

const MAIN = fileURLToPath(new URL('../../../../apps/hitherto/dist/main.js', import.meta.url));
/** A program that no longer responds is not waited for. */
const PATIENCE_MS = 2_000;
/** How much of a program's output is kept for error messages. */
const KEPT = 256 * 1024;

/** The real program. */
export interface Program {
  readonly process: ChildProcess;
  readonly pid: number;
  /** `http://127.0.0.1:PORT`, once it listens. */
  readonly url: string;
  /** The end of its output on standard output and standard error. */
  output(): string;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface ProgramOptions {
  /** `DATABASE_URL` or `DATA_DIR`, and other settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Runs it through another command: `['faketime', …]`. */
  readonly through?: readonly string[];
}

/** Starts a program without waiting. Its output is searched for secrets, and its connections are recorded. */
export function spawnProgram({ env, args = ['serve'], through = [] }: ProgramOptions): Omit<Program, 'url'> {
  const folder = mkdtempSync(join(tmpdir(), 'hitherto-faults-program-'));
  const connections = join(folder, 'connections');
  const recorder = recording(connections);
  const [command = process.execPath, ...rest] = [...through, process.execPath, ...recorder.args, MAIN, ...args];
  const child = start(command, rest, {
    env: { PATH: process.env.PATH ?? '', PORT: '0', RATE_LIMIT_PER_MINUTE: '0', ...recorder.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let kept = '';
  for (const [stream, name] of [
    [child.stdout, 'standard output'],
    [child.stderr, 'standard error'],
  ] as const) {
    const scan = outputScanner(args, name);
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT);
      scan(text);
    });
  }
  const ended = once(child, 'close').then(([code, signal]: (number | NodeJS.Signals | null)[]) => {
    checkConnections(
      connections,
      [env.DATABASE_URL, env.SMTP_URL].filter((url) => url !== undefined),
    );
    if (env.DATA_DIR !== undefined) lookForSecretsIn(join(env.DATA_DIR, 'postgres.log'));
    rmSync(folder, { recursive: true, force: true });
    return code ?? signal ?? 0;
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    output: () => kept,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the service and waits until it listens or, unless told otherwise, until it is ready. */
export function startProgram(options: ProgramOptions & { readonly until?: 'listening' | 'ready' }): Promise<Program> {
  return untilStarted(spawnProgram(options), options.until);
}

/** Waits until a service listens, or is ready. */
export async function untilStarted(
  program: Omit<Program, 'url'>,
  until: 'listening' | 'ready' = 'ready',
): Promise<Program> {
  const awaited = until === 'listening' ? /listening at http/ : /"msg":"ready"/;
  let end: number | NodeJS.Signals | undefined;
  void program.ended.then((how) => {
    end = how;
  });
  for (const deadline = Date.now() + 60_000; !awaited.test(program.output()); await sleep(5)) {
    if (end !== undefined || Date.now() > deadline) {
      throw new Error(`The service did not start (${end ?? 'it still runs'}):\n${program.output()}`);
    }
  }
  const port = /http:\/\/[^"\s]+?:(\d+)/.exec(program.output())?.[1];
  const url = `http://127.0.0.1:${port}`;
  return {
    ...program,
    url,
    async stop(signal) {
      await lookThroughMetrics(url);
      return program.stop(signal);
    },
  };
}

/** Searches the metrics for secrets; a program that has ended has none. */
async function lookThroughMetrics(url: string): Promise<void> {
  const client = openClient(url, null);
  const read = client.request('GET', '/metrics').catch(() => {});
  await Promise.race([read, sleep(PATIENCE_MS, undefined, { ref: false })]);
  client.close();
}

/** Runs a command of the program to its end; throws if it fails. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly output: string }> {
  const program = spawnProgram({ args, env });
  const code = await program.ended;
  if (code !== 0) throw new Error(`"${args.join(' ')}" ended with ${code}:\n${program.output()}`);
  return { output: program.output() };
}

/** The key that the first start on an empty data folder prints; waits for it this many milliseconds. */
export async function firstKey(program: Pick<Program, 'output'>, waitMs = 10_000): Promise<string> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(5)) {
    const key = /^\s+(hto_\w+)$/m.exec(program.output())?.[1];
    if (key !== undefined) return key;
  }
  throw new Error(`No key was printed:\n${program.output()}`);
}
