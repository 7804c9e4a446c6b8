import { parentPort, workerData } from 'node:worker_threads';
import { DomainError, type Log } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import type { StatisticsRepository } from '@hitherto/domain/engine';
import { openDatabase } from '../../connection/database.ts';
import { watchPresence } from '../../connection/presence.ts';
import { createStatisticsRepository } from '../reading/statistics-repository.ts';
import type { Call, Request, Response, SentError, ThreadData } from './messages.ts';

// The thread that counts, with connections of its own: however long it takes, the process goes on collecting hits.

const { connection, zone, readsInactiveEngine }: ThreadData = workerData;
const send = (response: Response) => parentPort?.postMessage(response);
const log: Log = (...entry) => send({ is: 'log', entry });
const database = openDatabase(connection, 'statistics', watchPresence(log), log);
const statistics = createStatisticsRepository(database, timeZone(zone), readsInactiveEngine);

const running = new Set<Promise<void>>();

parentPort?.on('message', async (request: Request) => {
  if (request.is === 'close') {
    await Promise.all(running);
    await database.close();
    parentPort?.close();
    return;
  }
  const answering = answer(request);
  running.add(answering);
  await answering;
  running.delete(answering);
});

async function answer({ id, method, args }: Call): Promise<void> {
  try {
    // The process passes the arguments of its own call.
    const call = statistics[method] as (...args: readonly unknown[]) => ReturnType<StatisticsRepository[typeof method]>;
    send({ is: 'result', id, result: await call(...args) });
  } catch (error) {
    send({ is: 'error', id, error: sentError(error) });
  }
}

function sentError(error: unknown): SentError {
  if (error instanceof DomainError) return { code: error.code, message: error.message };
  if (error instanceof Error)
    return { message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) };
  return { message: String(error) };
}
