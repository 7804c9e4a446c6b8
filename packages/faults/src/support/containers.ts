import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { root } from '@hitherto/testing/machine';
import { until } from './until.ts';

/** As the compose files run it. */
const SAFE = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const MARK = 'hitherto-faults';

/** A container of the image, with a volume. */
export type Container = Awaited<ReturnType<typeof runContainer>>;

/** The missing requirement, if any. */
export function missingForContainers(): string | undefined {
  try {
    execFileSync('docker', ['version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'Docker, and the right to use it';
  }
}

/** Runs a command of Docker and returns its output. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('docker', args, { maxBuffer: 2 ** 26 });
  return stdout.trim();
}

/** Builds the image and returns its name. */
export async function buildImage(target?: string): Promise<string> {
  // A name without a tag would stand for all of them when an image is saved.
  const image = `${MARK}:${target ?? 'whole'}`;
  // Builds use the network of the machine, because some engines give them none.
  await docker('build', '--network=host', ...(target === undefined ? [] : [`--target=${target}`]), '-t', image, root);
  return image;
}

/** A volume of its own with this size in megabytes, optionally in memory. */
export async function newVolume(megabytes?: number) {
  const name = `${MARK}-${randomBytes(6).toString('hex')}`;
  const inMemory = ['--opt=type=tmpfs', '--opt=device=tmpfs', `--opt=o=size=${megabytes}m,uid=1000,mode=770`];
  await docker('volume', 'create', ...(megabytes === undefined ? [] : inMemory), name);
  return { name, close: () => docker('volume', 'rm', '--force', name) };
}

/** Starts a container and waits for nothing. */
export async function runContainer(image: string, volume: string, ...options: readonly string[]) {
  const id = await docker(
    ...['run', '--detach', ...SAFE, '--publish=127.0.0.1::3000', `--volume=${volume}:/data`],
    ...['--env=RATE_LIMIT_PER_MINUTE=0', ...options, image],
  );
  const inspect = (format: string) => docker('inspect', `--format=${format}`, id);
  const port = async () => (await docker('port', id, '3000')).split(':').at(-1);
  const url = await port().then(
    (found) => `http://127.0.0.1:${found}`,
    // It has ended already.
    () => 'http://127.0.0.1:9',
  );
  const logs = async () => {
    const { stdout, stderr } = await promisify(execFile)('docker', ['logs', '--tail=5', id]);
    return stdout + stderr;
  };
  return {
    url,
    /** Resolves to the milliseconds until it is ready. */
    async ready(): Promise<number> {
      let isRunning = true;
      const ms = await until('it is not ready', 120_000, async () => {
        const isReady = await fetch(`${url}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
        isRunning = isReady || (await inspect('{{.State.Running}}')) === 'true';
        return isReady || !isRunning;
      });
      if (!isRunning) throw new Error(`The container ended:\n${await logs()}`);
      return ms;
    },
    exec: (...command: readonly string[]) => docker('exec', id, ...command),
    /** Writes the output of a command to a file. */
    execTo: (file: string, ...command: readonly string[]) => pipeTo(['exec', id, ...command], file),
    signal: (signal: string) => docker('kill', `--signal=${signal}`, id),
    /** Stops it as users do, and returns its exit code. */
    async stop(): Promise<string> {
      await docker('stop', '--time=20', id);
      return inspect('{{.State.ExitCode}}');
    },
    /** The files that it has written outside of its volume. */
    written: () => docker('diff', id),
    close: () => docker('rm', '--force', id),
  };
}

/** Runs a command in a new container on the volume, with a file as its input. */
export function runWithInput(image: string, volume: string, file: string, ...command: readonly string[]) {
  const args = ['run', '--rm', '--interactive', ...SAFE, `--volume=${volume}:/data`, image, ...command];
  const child = spawn('docker', args, { stdio: ['pipe', 'ignore', 'pipe'] });
  return Promise.all([pipeline(createReadStream(file), child.stdin), ended(child)]);
}

async function pipeTo(args: readonly string[], file: string): Promise<void> {
  const child = spawn('docker', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  await Promise.all([pipeline(child.stdout, createWriteStream(file)), ended(child)]);
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`docker ended with ${code}: ${complaint}`);
}
