import { connect, createServer, type Socket } from 'node:net';
import type { Random } from './random.ts';

/** What can happen to a request and its answer on the way. */
export const FATES = ['passed', 'answer dropped', 'reset before', 'reset in the middle', 'reset after'] as const;
export type Fate = (typeof FATES)[number];

/** A bad network between clients and the service. */
export interface HttpProxy {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** How many requests had which fate. */
  readonly seen: Readonly<Record<Fate, number>>;
  /** Where the fates come from; each trial sets its own, so that it can be replayed. */
  random: Random;
  close(): Promise<void>;
}

/** The parts of a hundred answers that are dropped, and of a hundred requests whose connection is reset. */
export interface Harm {
  readonly drops: number;
  readonly resets: number;
}

/**
 * Starts a proxy before a service at `http://127.0.0.1:PORT`. A dropped answer was given by the service; in its place the
 * connection is closed. A reset falls before the request, in the middle of it, or when the service has it and has not answered.
 */
export async function startHttpProxy(upstream: string, random: Random, harm: Harm): Promise<HttpProxy> {
  const seen = { passed: 0, 'answer dropped': 0, 'reset before': 0, 'reset in the middle': 0, 'reset after': 0 };
  const sockets = new Set<Socket>();
  const draw = (): Fate => {
    const part = proxy.random.below(100);
    const resets = ['reset before', 'reset in the middle', 'reset after'] as const;
    const fate =
      part < harm.drops ? 'answer dropped' : part < harm.drops + harm.resets ? proxy.random.pick(resets) : 'passed';
    seen[fate] += 1;
    return fate;
  };
  const { port: upstreamPort } = new URL(upstream);
  const server = createServer((client) => {
    const service = connect(Number(upstreamPort), '127.0.0.1');
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
    link(client, service, draw);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`,
    seen,
    random,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return proxy;
}

/** Requests are small, and come in one chunk; clients send one at a time, so that what comes after an answer is the next. */
function link(client: Socket, service: Socket, draw: () => Fate): void {
  let fate: Fate | undefined;
  const reset = () => {
    client.resetAndDestroy();
    service.resetAndDestroy();
  };
  client.on('data', (chunk) => {
    const isFirst = fate === undefined;
    fate ??= draw();
    if (fate === 'reset before') return reset();
    if (fate === 'reset in the middle') {
      if (isFirst) service.write(chunk.subarray(0, chunk.length / 2), reset);
      return;
    }
    service.write(chunk, () => {
      if (fate === 'reset after') setTimeout(reset, 1);
    });
  });
  service.on('data', (chunk) => {
    if (fate === 'answer dropped') {
      client.destroy();
      service.destroy();
      return;
    }
    if (fate === 'reset after') return reset();
    fate = undefined;
    client.write(chunk);
  });
  const end = () => {
    client.destroy();
    service.destroy();
  };
  for (const socket of [client, service]) socket.on('close', end).on('error', end);
}
