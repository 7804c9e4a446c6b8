import { parentPort, workerData } from 'node:worker_threads';
import type { Log } from '@hitherto/domain/base';
import { timeZone } from '@hitherto/domain/calendar';
import { openDatabase } from '../../connection/database.ts';
import { watchPresence } from '../../connection/presence.ts';
import { createKeeping } from './keep-days.ts';
import type { Keep, Request, Response, ThreadData } from './messages.ts';
import { sentError } from './sent-error.ts';

// The thread that keeps days, with connections of its own: it encodes and counts days that are over, while the process goes on
// collecting hits.

const { connection, zone, parts }: ThreadData = workerData;
const send = (response: Response) => parentPort?.postMessage(response);
const log: Log = (...entry) => send({ is: 'log', entry });
const database = openDatabase(connection, 'background', watchPresence(log), log);
const keeping = createKeeping(database, timeZone(zone), parts);
const running = new Set<Promise<void>>();

parentPort?.on('message', async (request: Request) => {
  switch (request.is) {
    case 'keep': {
      const answering = answer(request.id, () => keep(request));
      running.add(answering);
      await answering;
      running.delete(answering);
      return;
    }
    case 'interrupt':
      await answer(request.id, () => database.interrupt());
      return;
    case 'close':
      await Promise.all(running);
      await database.close();
      parentPort?.close();
  }
});

async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    send({ is: 'result', id, result: await work() });
  } catch (error) {
    send({ is: 'error', id, error: sentError(error) });
  }
}

function keep({ method, args }: Keep): Promise<boolean> {
  // The process passes the arguments of its own call.
  const bound = keeping[method] as (...args: readonly unknown[]) => Promise<boolean>;
  return bound(...args);
}
