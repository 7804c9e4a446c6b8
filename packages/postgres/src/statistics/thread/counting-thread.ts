import { Worker } from 'node:worker_threads';
import { DomainError, type DomainErrorCode, type Log, unavailable } from '@hitherto/domain/base';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { METHODS, type Method, type Request, type Response, type SentError, type ThreadData } from './messages.ts';

/** Statistics that a thread counts. */
export interface CountingThread {
  readonly statistics: StatisticsRepository;
  /** Ends the thread once running calls have finished. */
  close(): Promise<void>;
}

/** Node 20 cannot start a thread from sources. */
export const IS_BUILT = !import.meta.url.endsWith('.ts');

/** How long running calls may take until the thread is ended. */
const CLOSING_MS = 10_000;

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Counts in a thread of its own, which starts with the first call. If it ends, calls that run reject as `unavailable`, and the next one
 * starts another thread.
 */
export function openCountingThread(data: ThreadData, log: Log): CountingThread {
  let thread: Worker | undefined;
  let isClosed = false;
  let lastId = 0;
  const calls = new Map<number, Call>();

  const settle = (id: number, how: (call: Call) => void) => {
    const call = calls.get(id);
    calls.delete(id);
    // Only calls keep the process alive.
    if (calls.size === 0) thread?.unref();
    if (call !== undefined) how(call);
  };

  const start = (): Worker => {
    const started = new Worker(new URL('./counting-worker.js', import.meta.url), {
      ...{ workerData: data, name: 'counting' },
      // Tests have options for sources.
      execArgv: [],
    });
    started.on('message', (response: Response) => {
      switch (response.is) {
        case 'log':
          log(...response.entry);
          return;
        case 'result':
          settle(response.id, ({ resolve }) => resolve(response.result));
          return;
        case 'error':
          settle(response.id, ({ reject }) => reject(errorOf(response.error)));
      }
    });
    started.on('error', (error) => log('error', 'The thread that counts has failed', { error: error.message }));
    started.on('exit', () => {
      if (thread === started) thread = undefined;
      for (const id of [...calls.keys()]) {
        settle(id, ({ reject }) => reject(unavailable('The thread that counts has ended. Try again.')));
      }
    });
    started.unref();
    return started;
  };

  const call = (method: Method, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(unavailable('The service is stopping.'));
      thread ??= start();
      lastId += 1;
      calls.set(lastId, { resolve, reject });
      thread.ref();
      const request: Request = { is: 'call', id: lastId, method, args };
      thread.postMessage(request);
    });

  const methods = METHODS.map((method) => [method, (...args: readonly unknown[]) => call(method, args)]);
  return {
    // The thread has the same methods.
    statistics: Object.fromEntries(methods) as unknown as StatisticsRepository,

    async close() {
      isClosed = true;
      const closing = thread;
      if (closing === undefined) return;
      closing.ref();
      const timer = setTimeout(() => void closing.terminate(), CLOSING_MS).unref();
      await new Promise<void>((resolve) => {
        closing.once('exit', () => resolve());
        const request: Request = { is: 'close' };
        closing.postMessage(request);
      });
      clearTimeout(timer);
    },
  };
}

function errorOf({ code, message, stack }: SentError): Error {
  // The thread has read the code from an error of the domain.
  if (code !== undefined) return new DomainError(code as DomainErrorCode, message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
