import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isMessage, type Message, WORKER_NUMBER } from './messages.ts';

/** This process, as one of several that serve on one port. */
export interface Worker {
  /** From 1 on. A worker that replaces another gets its number. */
  readonly number: number;
  /** Tells the primary that this worker serves requests. */
  ready(): void;
  /** Resolves when all workers have closed the socket on which they listen, and soon in any case. */
  closedByAll(): Promise<void>;
  /** Lets the primary read these metrics. */
  share(registry: Registry): void;
  /** The metrics of all workers. Rejects with `unavailable` if one does not send its own within 5 seconds. */
  metrics(): Promise<string>;
  /** Lets the process end when it has nothing left to do. */
  leave(): void;
}

/** Workers begin to stop at the same time, and a dead one is not waited for. */
const CLOSED_WITHIN_MS = 2_000;

/** The worker that this process is; `undefined` if it serves alone. */
export function thisWorker(env: Readonly<Record<string, string | undefined>>): Worker | undefined {
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  const send = (message: Message) => void worker.send(message);
  const closed = new AbortController();
  const waiting = new Map<number, (text: string | undefined) => void>();
  let lastId = 0;
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.type === 'closed') closed.abort();
    if (message.type !== 'metrics') return;
    waiting.get(message.id)?.(message.text);
    waiting.delete(message.id);
  });
  return {
    number: Number(env[WORKER_NUMBER]),
    ready: () => send({ type: 'ready' }),
    async closedByAll() {
      send({ type: 'closed' });
      await sleep(CLOSED_WITHIN_MS, undefined, { signal: closed.signal }).catch(() => {});
    },
    share(registry) {
      AggregatorRegistry.setRegistries(registry);
      // It listens for the primary's requests from now on.
      new AggregatorRegistry();
    },
    async metrics() {
      const id = ++lastId;
      const text = await new Promise<string | undefined>((resolve) => {
        waiting.set(id, resolve);
        send({ type: 'metrics', id });
      });
      if (text === undefined) throw unavailable('A worker did not send its metrics.');
      return text;
    },
    leave: () => worker.disconnect(),
  };
}
