import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@hitherto/testing/folder';
import { start } from '@hitherto/testing/processes';
import type { Trial } from '../row.ts';
import { openClient } from './client.ts';
import { checkConnections, recording } from './connections.ts';
import { lookForSecretsIn, outputScanner } from './secrets.ts';
import { until } from './until.ts';

const MAIN = fileURLToPath(new URL('../../../../apps/hitherto/dist/main.js', import.meta.url));
/** A program that no longer responds is not waited for. */
const METRICS_TIMEOUT_MS = 2_000;
/** Also next to other work. */
const STARTS_WITHIN_MS = 180_000;
/** How many characters of a program's output error messages contain. */
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
  close(): Promise<unknown>;
}

/** A program that may not listen yet. */
type Spawned = Omit<Program, 'url'>;

interface ProgramOptions {
  /** `DATABASE_URL` or `DATA_DIR`, and other settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Where it may connect to in addition to the servers of its settings: the receivers of webhooks. */
  readonly receivers?: readonly string[];
}

/** Starts a program without waiting. Its output is searched for secrets, and its connections are recorded. */
export function spawnProgram({ env, args = ['serve'], receivers = [] }: ProgramOptions): Spawned {
  const folder = newFolder();
  const connections = join(folder.path, 'connections');
  const recorder = recording(connections);
  const child = start(process.execPath, [...recorder.args, MAIN, ...args], {
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
      [env.DATABASE_URL, env.SMTP_URL, env.CLICKHOUSE_URL, ...receivers].filter((url) => url !== undefined),
    );
    if (env.DATA_DIR !== undefined) lookForSecretsIn(join(env.DATA_DIR, 'postgres.log'));
    folder.close();
    return code ?? signal ?? 0;
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return {
    process: child,
    pid: child.pid ?? 0,
    output: () => kept,
    ended,
    stop,
    close: stop,
  };
}

/** Starts the service and waits until it is ready or, on request, only until it listens. */
export function startProgram(options: ProgramOptions & { readonly until?: 'listening' | 'ready' }): Promise<Program> {
  return untilStarted(spawnProgram(options), options.until);
}

/** Waits until a service listens, or is ready. */
async function untilStarted(program: Spawned, state: 'listening' | 'ready' = 'ready'): Promise<Program> {
  const awaited = state === 'listening' ? /listening at http/ : /"msg":"ready"/;
  const { process: child, output } = program;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const isThere = () => awaited.test(output()) || hasEnded();
  await until(() => `the service had not started:\n${output()}`, STARTS_WITHIN_MS, isThere);
  const port = /http:\/\/[^"\s]+?:(\d+)/.exec(output())?.[1];
  if (!awaited.test(output()) || port === undefined) throw new Error(`The service ended:\n${output()}`);
  const url = `http://127.0.0.1:${port}`;
  const stop = async (signal?: NodeJS.Signals) => {
    await lookThroughMetrics(url);
    return program.stop(signal);
  };
  return { ...program, url, stop, close: () => stop() };
}

/** Searches the metrics for secrets; a program that has ended has none. */
async function lookThroughMetrics(url: string): Promise<void> {
  const client = openClient(url, null);
  const read = client.request('GET', '/metrics').catch(() => {});
  await Promise.race([read, sleep(METRICS_TIMEOUT_MS, undefined, { ref: false })]);
  client.close();
}

/** Makes `kill` be called at some point of a program's work. */
export type Arm = (kill: () => void) => void;

/** Kills after this many milliseconds. */
export function killAfter(ms: number): Arm {
  return (kill) => void setTimeout(kill, ms).unref();
}

/** Kills a program where `arm` says, and clears the traps once it has ended. Returns whether the kill came before its end. */
export async function killWhen(
  { add }: Pick<Trial, 'add'>,
  { process: victim, ended }: Pick<Program, 'process' | 'ended'>,
  arm: Arm,
  ...traps: readonly { clear(): void }[]
): Promise<boolean> {
  arm(() => void victim.kill('SIGKILL'));
  const end = await ended;
  for (const trap of traps) trap.clear();
  add({ [end === 'SIGKILL' ? 'killed' : 'ended before the kill']: 1 });
  return end === 'SIGKILL';
}

/** The key that `keys create` prints. */
export async function createKey(env: ProgramOptions['env'], ...args: readonly string[]): Promise<string> {
  const { output } = await runProgram(['keys', 'create', '--account', ...args], env);
  const key = /hto_\w+/.exec(output)?.[0];
  if (key === undefined) throw new Error('No key was printed.');
  return key;
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

/** Commands with work that is due. */
export type Command = 'alerts' | 'reports' | 'webhooks';

/** Starts the work that is due at a past time: `alerts run --at …`, say. */
export function spawnAt(time: number, command: Command, options: Omit<ProgramOptions, 'args'>): Spawned {
  return spawnProgram({ ...options, args: [command, 'run', '--at', new Date(time).toISOString()] });
}

/** Does the work that is due at a time, unless the database cannot be reached. */
export async function runAt(...due: Parameters<typeof spawnAt>): Promise<void> {
  const program = spawnAt(...due);
  const end = await program.ended;
  if (end === 0 || program.output().includes('cannot be reached or is overloaded')) return;
  throw new Error(`"${due[1]} run" ended with ${end}:\n${program.output()}`);
}

/** The key in the file that the first start on an empty data folder names; waits for it this many milliseconds. */
export async function firstKey(program: Pick<Program, 'output'>, waitMs = 10_000): Promise<string> {
  const find = () => / in (\S+first\.key)$/m.exec(program.output())?.[1];
  const isThere = () => find() !== undefined;
  await until(() => `no key was written:\n${program.output()}`, waitMs, isThere);
  return readFileSync(find() ?? '', 'utf8').trim();
}
