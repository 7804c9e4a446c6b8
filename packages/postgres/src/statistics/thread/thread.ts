import { Worker } from 'node:worker_threads';
import { DomainError, type DomainErrorCode, type Log, unavailable } from '@hitherto/domain/base';
import { BeginAgain } from '../open-days/open-days.ts';
import type { Request, Response, SentError, ThreadData } from './messages.ts';

/** A thread that answers requests. */
export interface Thread {
  /**
   * Posts a request, and resolves to its result.
   *
   * @param begin begins a reading with the id of the request, for the first time or again
   */
  ask(request: (id: number) => Request, begin?: (id: number) => void): Promise<unknown>;
  /** Posts a request that has no result, if the one with this id still runs. */
  tell(id: number, request: Request): void;
  /** Ends what runs as `unavailable`, and everything that is asked later. */
  interrupt(): Promise<void>;
  /** Ends the thread once running requests have finished. */
  close(): Promise<void>;
}

/** Node 20 cannot start a thread from sources. */
export const IS_BUILT = !import.meta.url.endsWith('.ts');

/** How long running requests may take until the thread is ended. */
const CLOSING_MS = 10_000;

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly begin?: () => void;
}

export interface ThreadOptions {
  /** The module that the thread runs. */
  readonly module: URL;
  readonly name: string;
  readonly data: ThreadData;
  readonly log: Log;
  /** For how long the thread goes on without a request; for ever by default. */
  readonly idleMs?: number;
}

/**
 * A thread that starts with the first request. If it ends, requests that run reject as `unavailable`, and the next one starts another
 * thread.
 */
export function openThread({ module, name, data, log, idleMs }: ThreadOptions): Thread {
  let thread: Worker | undefined;
  let isClosed = false;
  let lastId = 0;
  let idle: NodeJS.Timeout | undefined;
  const calls = new Map<number, Call>();

  const end = () => {
    if (calls.size > 0) return;
    const request: Request = { is: 'close' };
    thread?.postMessage(request);
    thread = undefined;
  };

  const settle = (id: number, how: (call: Call) => void) => {
    const call = calls.get(id);
    calls.delete(id);
    if (calls.size === 0) {
      // Only calls keep the process alive.
      thread?.unref();
      clearTimeout(idle);
      if (idleMs !== undefined && !isClosed) idle = setTimeout(end, idleMs).unref();
    }
    if (call !== undefined) how(call);
  };

  const start = (): Worker => {
    // Tests have options for sources.
    const started = new Worker(module, { workerData: data, name, execArgv: [] });
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
    started.on('error', (error) => log('error', `The thread '${name}' has failed`, { error: error.message }));
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      for (const id of [...calls.keys()]) {
        settle(id, ({ reject }) => reject(unavailable(`The thread '${name}' has ended. Try again.`)));
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

  const ask: Thread['ask'] = (request, begin) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(unavailable('The service is stopping.'));
      lastId += 1;
      const id = lastId;
      calls.set(id, { resolve, reject, ...(begin === undefined ? {} : { begin: () => begin(id) }) });
      post(request(id));
    });

  return {
    ask,

    tell(id, request) {
      if (calls.has(id)) post(request);
    },

    async interrupt() {
      const interrupted = thread === undefined ? undefined : ask((id) => ({ is: 'interrupt', id }));
      isClosed = true;
      await interrupted;
    },

    async close() {
      isClosed = true;
      clearTimeout(idle);
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
