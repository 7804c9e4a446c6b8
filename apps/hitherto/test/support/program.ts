import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDataFolder } from '@hitherto/testing/data-folder';
import { inject, onTestFinished } from 'vitest';

/** The program of the bundle. */
export const MAIN = join(inject('bundle'), 'lib/main.js');

/** What a program that has ended left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real program, started and serving. */
export interface Service {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it has written so far. */
  output(): Ended;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

/** An empty folder, removed after the test. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-api-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A data folder with a migrated database without accounts, removed after the test. Only tests of a first start need less. */
export async function dataFolder(): Promise<string> {
  const folder = await copyDataFolder(inject('templates').dataDir);
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts the program and waits for nothing; it is killed after the test. */
export function spawnProgram(
  args: readonly string[],
  env: Record<string, string>,
  { input = 'ignore', cwd }: { readonly input?: 'ignore' | 'pipe'; readonly cwd?: string } = {},
): { child: ChildProcess; output: () => Ended } {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    cwd,
    stdio: [input, 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, output: () => ({ code: child.exitCode, stdout, stderr }) };
}

/** Runs a command of the program to its end. */
export async function runProgram(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return ended(spawnProgram(args, env));
}

/** The same in a folder, without settings but those of its file `.env`. */
export async function runProgramIn(cwd: string, args: readonly string[]): Promise<Ended> {
  return ended(spawnProgram(args, {}, { cwd }));
}

async function ended({ child, output }: ReturnType<typeof spawnProgram>): Promise<Ended> {
  await once(child, 'close');
  return output();
}

/**
 * Starts the service and waits until it says that it is ready, or, with `until: 'listening'`, that it listens. It stops without a
 * drain unless `env` has one.
 */
export async function startService(env: Record<string, string>, until = '"msg":"ready"'): Promise<Service> {
  const { child, output } = spawnProgram(['serve'], { PORT: '0', DRAIN_SECONDS: '0', ...env });
  const closed = once(child, 'close');
  const hasStarted = () => output().stdout.includes(until);
  while (!hasStarted() && child.exitCode === null && child.signalCode === null) {
    await Promise.race([once(child.stdout ?? child, 'data'), closed]);
  }
  const address = /https?:\/\/[^"\s]+:\d+/.exec(output().stdout)?.[0];
  if (address === undefined) throw new Error(`The program did not start:\n${output().stdout}${output().stderr}`);
  return {
    url: address.replace('127.0.0.1', 'localhost'),
    process: child,
    output,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await closed;
      return output();
    },
  };
}

/** The first key, from the file that the first start names. */
export function firstKeyOf(service: Service): string {
  const file = / in (\S+first\.key)$/m.exec(service.output().stderr)?.[1];
  if (file === undefined) throw new Error('No key was told.');
  return readFileSync(file, 'utf8').trim();
}

/** A request with a key. */
export function call(service: Service, key: string, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
}

/** Whether the process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Waits until the condition holds; the test's own time limit is the only one. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
