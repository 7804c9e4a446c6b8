import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import type { StatisticsReads } from '@hitherto/domain/engine';
import { openDatabase } from '../../connection/database.ts';
import { watchPresence } from '../../connection/presence.ts';
import { createStatisticsRepository } from '../reading/statistics-repository.ts';
import type { Call, Open, Request, Response, ThreadData } from './messages.ts';
import { sentError } from './sent-error.ts';

// The thread that counts, with connections of its own: however long it takes, the process goes on collecting hits.

const { connection, zone, readsInactiveEngine }: ThreadData = workerData;
const send = (response: Response) => parentPort?.postMessage(response);
const log: Log = (...entry) => send({ is: 'log', entry });
const database = openDatabase(connection, 'statistics', watchPresence(log), log);
const statistics = createStatisticsRepository(database, timeZone(zone), readsInactiveEngine);

/** The open readings by their ids. */
const readings = new Map<number, Reading>();
const running = new Set<Promise<void>>();

interface Reading {
  readonly reads: StatisticsReads;
  end(): void;
  fail(error: unknown): void;
}

parentPort?.on('message', async (request: Request) => {
  switch (request.is) {
    case 'end':
      readings.get(request.id)?.end();
      return;
    case 'interrupt':
    case 'keep':
      return;
    case 'close':
      await Promise.all(running);
      await database.close();
      parentPort?.close();
      return;
    default: {
      const answering = answer(request);
      running.add(answering);
      await answering;
      running.delete(answering);
    }
  }
});

async function answer(request: Call | Open): Promise<void> {
  const { id } = request;
  try {
    send({ is: 'result', id, result: await (request.is === 'open' ? read(request) : call(request)) });
  } catch (error) {
    send({ is: 'error', id, error: sentError(error) });
  }
}

/** Resolves when the process has ended the reading. */
async function read({ id, of }: Open): Promise<void> {
  try {
    await statistics.reading(of, async (reads) => {
      const ended = new Promise<void>((end, fail) => readings.set(id, { reads, end, fail }));
      send({ is: 'opened', id });
      await ended;
    });
  } finally {
    readings.delete(id);
  }
}

async function call({ method, args, reading }: Call): Promise<unknown> {
  const open = reading === undefined ? undefined : readings.get(reading);
  const reads = reading === undefined ? statistics : open?.reads;
  if (reads === undefined) throw new Error('The reading has ended.');
  try {
    // The process passes the arguments of its own call.
    const bound = reads[method] as (...args: readonly unknown[]) => ReturnType<StatisticsReads[typeof method]>;
    return await bound(...args);
  } catch (error) {
    open?.fail(error);
    throw error;
  }
}
