import { Worker } from 'node:worker_threads';
import { DomainError, type DomainErrorCode, type Log, unavailable } from '@hitherto/domain/base';
import type { StatisticsReads, StatisticsRepository } from '@hitherto/domain/engine';
import { BeginAgain } from '../open-days/open-days.ts';
import { METHODS, type Request, type Response, type SentError, type ThreadData } from './messages.ts';

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
  /** Begins a reading, for the first time or again. */
  readonly begin?: () => void;
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
        case 'opened':
          calls.get(response.id)?.begin?.();
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

  const post = (request: Request) => {
    thread ??= start();
    thread.ref();
    thread.postMessage(request);
  };

  /** Posts a request and resolves to its result. */
  const ask = (request: (id: number) => Request, begin?: (id: number) => void): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(unavailable('The service is stopping.'));
      lastId += 1;
      const id = lastId;
      calls.set(id, { resolve, reject, ...(begin === undefined ? {} : { begin: () => begin(id) }) });
      post(request(id));
    });

  const readsOf = (reading?: number): StatisticsReads => {
    const ofReading = reading === undefined ? {} : { reading };
    const methods = METHODS.map((method) => [
      method,
      (...args: readonly unknown[]) => ask((id) => ({ is: 'call', id, method, args, ...ofReading })),
    ]);
    // The thread has the same methods.
    return Object.fromEntries(methods) as unknown as StatisticsReads;
  };

  const reading: StatisticsRepository['reading'] = (of, work) =>
    new Promise((resolve, reject) => {
      const begin = (id: number) => {
        const end = () => {
          if (calls.has(id)) post({ is: 'end', id });
        };
        work(readsOf(id)).then(
          (result) => {
            resolve(result);
            end();
          },
          (error) => {
            // The thread begins the reading again.
            if (error instanceof BeginAgain) return;
            reject(error);
            end();
          },
        );
      };
      ask((id) => ({ is: 'open', id, of }), begin).catch(reject);
    });

  return {
    statistics: { ...readsOf(), reading },

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

function errorOf({ beginsAgain, code, message, stack }: SentError): Error {
  if (beginsAgain) return new BeginAgain();
  // The thread has read the code from an error of the domain.
  if (code !== undefined) return new DomainError(code as DomainErrorCode, message);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
