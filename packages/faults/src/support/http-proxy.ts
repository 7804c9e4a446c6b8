import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '@hitherto/testing/random';

/** What can happen to a request and its response in transit. */
export const FATES = ['passed', 'response dropped', 'reset before', 'reset in the middle', 'reset after'] as const;
export type Fate = (typeof FATES)[number];

/** An unreliable network between clients and the service. */
export interface HttpProxy {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The number of requests by fate. */
  readonly seen: Readonly<Record<Fate, number>>;
  /** The source of fates; each trial sets its own, so that it can be replayed. */
  random: Random;
  close(): Promise<void>;
}

/** The percentages of dropped responses and of requests whose connection is reset. */
export interface Harm {
  readonly drops: number;
  readonly resets: number;
}

/**
 * Starts a proxy in front of a service at `http://127.0.0.1:PORT`. A dropped response was sent by the service; the client's
 * connection is closed instead. A reset happens before the request, during it, or before the service responds to it.
 */
export async function startHttpProxy(upstream: string, random: Random, harm: Harm): Promise<HttpProxy> {
  const seen = { passed: 0, 'response dropped': 0, 'reset before': 0, 'reset in the middle': 0, 'reset after': 0 };
  const sockets = new Set<Socket>();
  const draw = (): Fate => {
    const part = proxy.random.below(100);
    const resets = ['reset before', 'reset in the middle', 'reset after'] as const;
    const fate =
      part < harm.drops ? 'response dropped' : part < harm.drops + harm.resets ? proxy.random.pick(resets) : 'passed';
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

/** Requests are small and arrive in one chunk. Clients send one at a time, so data after a response is the next request. */
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
    if (fate === 'response dropped') {
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
