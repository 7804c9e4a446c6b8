import { connect, type Socket } from 'node:net';
import { bind, startListener } from '@hitherto/testing/listener';
import type { Random } from '@hitherto/testing/random';

/** What can happen to a request and its response in transit. */
type Fate = 'passed' | 'response dropped' | (typeof RESETS)[number];
const RESETS = ['reset before', 'reset in the middle', 'reset after'] as const;

/** An unreliable network between clients and the service. */
export interface HttpProxy {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly seen: { dropped: number; reset: number };
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
  const draw = (): Fate => {
    const part = proxy.random.below(100);
    if (part < harm.drops) {
      proxy.seen.dropped += 1;
      return 'response dropped';
    }
    if (part >= harm.drops + harm.resets) return 'passed';
    proxy.seen.reset += 1;
    return proxy.random.pick(RESETS);
  };
  const { port } = new URL(upstream);
  const listener = await startListener((client, own) => link(client, own(connect(Number(port), '127.0.0.1')), draw));
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${listener.port}`,
    seen: { dropped: 0, reset: 0 },
    random,
    close: listener.close,
  };
  return proxy;
}

/** Requests are small and arrive in one chunk. Clients send one at a time, so data after a response is the next request. */
function link(client: Socket, service: Socket, draw: () => Fate): void {
  bind(client, service);
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
    if (fate === 'response dropped') return client.destroy();
    if (fate === 'reset after') return reset();
    fate = undefined;
    return client.write(chunk);
  });
}
