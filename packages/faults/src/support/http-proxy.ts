import { connect, type Socket } from 'node:net';
import { bind, startListener } from '@hitherto/testing/listener';
import { randomOf } from '@hitherto/testing/random';

/** The fates of a request and its response in transit. */
type Fate = 'passed' | 'response dropped' | (typeof RESETS)[number];
const RESETS = ['reset before', 'reset in the middle', 'reset after'] as const;

/**
 * Starts an unreliable network in front of a service at `http://127.0.0.1:PORT`. Of a hundred responses, some are dropped: the
 * client's connection is closed instead. A reset happens before the request, during it, or before the service responds to it.
 */
export async function startHttpProxy(upstream: string, { drops, resets }: { drops: number; resets: number }) {
  const { port } = new URL(upstream);
  const listener = await startListener((client, own) => link(client, own(connect(Number(port), '127.0.0.1')), draw));
  const proxy = {
    url: `http://127.0.0.1:${listener.port}`,
    seen: { dropped: 0, reset: 0 },
    /** The source of fates; each trial sets its own, so that it can be replayed. */
    random: randomOf('none yet'),
    close: listener.close,
  };
  function draw(): Fate {
    const part = proxy.random.below(100);
    if (part < drops) {
      proxy.seen.dropped += 1;
      return 'response dropped';
    }
    if (part >= drops + resets) return 'passed';
    proxy.seen.reset += 1;
    return proxy.random.pick(RESETS);
  }
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
