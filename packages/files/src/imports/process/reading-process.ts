import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { storedText } from '@hitherto/domain/base';
import { type ImportFileOptions, InvalidFile } from '@hitherto/domain/imports';
import type { Batch, OpenedFile, ReadRequest, Response } from './messages.ts';

/** What reading a file may take. */
export interface ReadingLimits {
  /** Of memory, in MiB. */
  readonly memory: number;
  /** The longest time between two batches of rows, in milliseconds. */
  readonly silence: number;
}

/** A file that a process of its own reads. */
interface ReadingProcess {
  readonly opened: OpenedFile;
  /** Whether it can be read: not after a reading, nor some seconds after it was opened. */
  isReady(): boolean;
  /**
   * Reads the file, once, and ends the process.
   *
   * @param from of a log, the offset from which its lines are read
   * @throws InvalidFile also if reading takes more than the limits
   */
  read(from: number): AsyncGenerator<Batch>;
  /** The share of the file that has been read, from 0 to 1. */
  share(): number;
  end(): void;
}

// Tests run from sources, which Node 20 cannot start a process from.
const MAIN = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../../dist/imports/process/main.js', import.meta.url)
    : new URL('./main.js', import.meta.url),
);

/** How long a process waits for the reading to begin: an import that waits for others starts a new one. */
const IDLE_MS = 2_000;
/** While this process itself is busy, responses wait. */
const GRACE_MS = 1_000;

/**
 * Opens a file in a new process, so that no file can hold up this one or take its memory. (A worker thread shares the fate of its
 * process: V8 ends both if the thread's heap is full.)
 *
 * @throws InvalidFile
 */
export async function startReading(
  path: string,
  options: ImportFileOptions,
  limits: ReadingLimits,
): Promise<ReadingProcess> {
  const child = startChild(limits);
  const ask = createRequests(child, limits);
  const end = () => {
    child.kill('SIGKILL');
  };
  let share = 0;
  let isReady = true;
  try {
    const response = await ask({ ask: 'open', path, options });
    if (response.is !== 'opened') throw unexpected(response.is);
    const idle = setTimeout(() => {
      isReady = false;
      end();
    }, IDLE_MS).unref();
    return {
      opened: response.opened,
      isReady: () => isReady,
      share: () => share,
      end,

      async *read(from) {
        isReady = false;
        clearTimeout(idle);
        try {
          let asked = ask({ ask: 'next', from });
          for (;;) {
            const found = await asked;
            if (found.is === 'opened' || found.is === 'error') throw unexpected(found.is);
            share = found.share;
            if (found.is === 'end') return;
            // Read while this batch is worked on; an error is thrown when it is awaited.
            asked = ask({ ask: 'next', from });
            asked.catch(() => {});
            yield found.batch;
          }
        } finally {
          end();
        }
      },
    };
  } catch (error) {
    end();
    throw error;
  }
}

/** Its environment is empty: the process needs no settings, and no secrets. */
function startChild({ memory }: ReadingLimits): ChildProcess {
  const execArgv = [`--max-old-space-size=${memory}`, '--max-semi-space-size=8'];
  return fork(MAIN, { execArgv, env: {}, serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

/** A function that sends a request, one at a time, and resolves to its response. Errors of the other process become rejections. */
function createRequests(child: ChildProcess, limits: ReadingLimits) {
  let settle: ((result: Response | Error) => void) | undefined;
  // Only a request keeps this process alive.
  const hold = (isHeld: boolean) => {
    for (const handle of [child, child.channel]) {
      if (isHeld) handle?.ref();
      else handle?.unref();
    }
  };
  child.on('message', (response: Response) => settle?.(response));
  child.on('error', (error) => settle?.(error));
  child.on('exit', (code, signal) => settle?.(endedEarly(limits, code, signal)));
  hold(false);

  return (request: ReadRequest): Promise<Response> =>
    new Promise((resolve, reject) => {
      let timer = setTimeout(() => {
        timer = setTimeout(() => settle?.(tooSlow(limits)), GRACE_MS);
      }, limits.silence);
      settle = (result) => {
        settle = undefined;
        clearTimeout(timer);
        hold(false);
        if (result instanceof Error) reject(result);
        else if (result.is === 'error') reject(errorOf(result));
        else resolve(result);
      };
      if (child.exitCode !== null || child.signalCode !== null) {
        settle(endedEarly(limits, child.exitCode, child.signalCode));
        return;
      }
      hold(true);
      child.send(request, (error) => {
        // If the process has ended, that says why.
        if (error !== null && child.connected) settle?.(error);
      });
    });
}

function errorOf({ isInvalid, message, text }: Extract<Response, { is: 'error' }>): Error {
  return isInvalid ? new InvalidFile(text ?? message) : new Error(message);
}

function endedEarly({ memory }: ReadingLimits, code: number | null, signal: NodeJS.Signals | null): Error {
  // V8 aborts when the heap is full; the kernel kills the largest process.
  if (signal === 'SIGABRT' || signal === 'SIGKILL' || signal === 'SIGTRAP' || code === 134) {
    return new InvalidFile(storedText('memory', memory));
  }
  return new Error(`The process that reads the file has ended with ${signal ?? code}.`);
}

function tooSlow({ silence }: ReadingLimits): InvalidFile {
  return new InvalidFile(storedText('slow', silence / 1_000));
}

function unexpected(is: string): Error {
  return new Error(`The process that reads the file has sent "${is}" out of turn.`);
}
