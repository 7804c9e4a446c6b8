import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '@hitherto/domain/base';
import { describeError, HTTP_TIMEOUTS } from '@hitherto/http';
import { AggregatorRegistry } from 'prom-client';
import type { OpenDatabase } from '../../installation/database.ts';
import type { Settings } from '../../installation/settings.ts';
import { createLogger } from '../logger.ts';
import { stopAtSignals } from '../stop-signals.ts';
import { isMessage, type Message, WORKER_NUMBER } from './messages.ts';

interface SuperviseDependencies {
  readonly openDatabase: OpenDatabase;
  /** Writes to standard error. */
  readonly tell: (text: string) => void;
}

const PROGRAM = fileURLToPath(new URL('../../main.js', import.meta.url));
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker that has lived so long did not die of its start. */
const STABLE_AFTER_MS = 30_000;

/**
 * Serves with several processes on one port until SIGINT or SIGTERM. This one, the primary, owns the embedded PostgreSQL and
 * supervises the workers: the first prepares the database and runs the jobs, and the rest start when it serves. One that dies is
 * replaced, unless none has served yet: then the service ends with its exit code.
 */
export async function supervise(settings: Settings, { openDatabase, tell }: SuperviseDependencies): Promise<void> {
  const logger = createLogger(settings.logLevel);
  const log: Log = (level, message, details = {}) => logger[level](details, message);
  // It only starts the embedded PostgreSQL: nothing here connects.
  const database = await openDatabase(settings, { use: 'service', log, onProgress: (text) => tell(`${text}\n`) });
  // Workers accept connections themselves. If this process handed them over, as by default, one that is on its way to a worker
  // that dies would stay open for ever, without a response.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // By default a worker runs what Node was started with: the script of npm start, which installs and builds.
  cluster.setupPrimary({ exec: PROGRAM });
  const stopping = new AbortController();
  const workers = listenToWorkers(stopping.signal);

  /** Runs a worker again and again until the service stops; resolves to the exit code of the last run. */
  const keep = async (number: number): Promise<number> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const since = performance.now();
      const { code, signal } = await runWorker(number);
      if (stopping.signal.aborted || !workers.haveServed()) return code;
      if (performance.now() - since > STABLE_AFTER_MS) pause = FIRST_PAUSE_MS;
      log('error', 'a worker died and is started again', { worker: number, code, signal, in_ms: pause });
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return 0;
    }
  };
  const kept = [keep(1)];

  stopAtSignals(settings.drainSeconds * 1_000 + HTTP_TIMEOUTS.stop, async (fault) => {
    if (fault !== undefined) logger.fatal({ error: describeError(fault) }, 'stopping after an error');
    stopping.abort();
    for (const worker of runningWorkers()) worker.process.kill('SIGTERM');
    const codes = await Promise.all(kept);
    await database.close();
    if (codes.some((code) => code !== 0)) throw new Error('A worker did not stop cleanly.');
  });

  const failed = await Promise.race([workers.serve, ...kept]);
  if (stopping.signal.aborted) return;
  if (failed !== undefined) {
    process.exitCode = failed || 1;
    return database.close();
  }
  for (let number = 2; number <= settings.workers; number += 1) kept.push(keep(number));
}

/** Runs a worker to its end. One that was told to stop while it started has ended as it should. */
function runWorker(number: number): Promise<{ readonly code: number; readonly signal: string | null }> {
  const worker = cluster.fork({ [WORKER_NUMBER]: String(number) });
  return new Promise((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => {
      const isTold = signal === 'SIGTERM' || signal === 'SIGINT';
      resolve({ code: code ?? (isTold ? 0 : 1), signal });
    });
  });
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function send(worker: Worker, message: Message): void {
  // A worker that has just died gets no message.
  if (worker.isConnected()) worker.send(message, () => {});
}

/** Responds to the workers. */
function listenToWorkers(stopping: AbortSignal): {
  /** Resolves when a worker serves for the first time. */
  readonly serve: Promise<void>;
  haveServed(): boolean;
} {
  const metrics = new AggregatorRegistry();
  const closed = new Set<Worker>();
  const ready = new AbortController();
  const tellIfClosedByAll = () => {
    const running = runningWorkers();
    if (running.every((worker) => closed.has(worker))) for (const worker of running) send(worker, { type: 'closed' });
  };
  const respond = async (worker: Worker, id: number) => {
    const text = await metrics.clusterMetrics().catch(() => undefined);
    send(worker, { type: 'metrics', id, ...(text !== undefined && { text }) });
  };
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage(message)) return;
    if (message.type === 'ready') ready.abort();
    else if (message.type === 'metrics') void respond(worker, message.id);
    else if (!stopping.aborted) send(worker, { type: 'closed' });
    else {
      closed.add(worker);
      tellIfClosedByAll();
    }
  });
  cluster.on('exit', tellIfClosedByAll);
  return {
    serve: new Promise((resolve) => {
      ready.signal.addEventListener('abort', () => resolve());
    }),
    haveServed: () => ready.signal.aborted,
  };
}
