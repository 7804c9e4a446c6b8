import { setTimeout as sleep } from 'node:timers/promises';
import { row } from '../row.ts';
import { allWebsites, type Client, openClient } from '../support/client.ts';
import { startService } from '../support/service.ts';
import { isGood, startTraffic } from '../support/traffic.ts';

const PER_SECOND = 200;
/** Each connection is used every 200 ms: never idle for long enough that the service may close it. */
const CONNECTIONS = 40;
const ENDS_WITHIN_MS = 15_000;

/**
 * A request is accepted if it was sent on a connection with an earlier response, unless that response said
 * `Connection: close`. A request on a new connection is accepted if any of it was done or responded to: until the service
 * accepts a connection, only the kernel has it, and resets it when the service stops listening. Nothing of such a request
 * may be done. Every accepted request gets its full, normal response.
 */
export const sigterm = row('sigterm', 40, 'stops', {}, async (trials) => {
  const service = await trials.open(startService());
  await trials.each(async ({ random, open, add, took }) => {
    const key = await service.postgres.issueKey();
    const fleet = await open(openFleet(service.program.url, key));
    const traffic = await open(startTraffic(fleet, random, PER_SECOND));
    await sleep(400 + random.below(400));
    const since = performance.now();
    const { output, stop } = service.program;
    const code = await stop();
    took('the stop', performance.now() - since, ENDS_WITHIN_MS);
    await traffic.stop();

    await service.restart();
    const reader = await open(service.openClient(key));
    await traffic.check(reader);
    const stored = new Set((await allWebsites(reader)).map(({ url }) => url));
    if (code !== 0) throw new Error(`It ended with ${code}:\n${output().slice(-2_000)}`);
    const { cut, reset } = fleet;
    if (cut.length > 0) throw new Error(`${cut.length} accepted requests were cut, the first: ${cut[0]}`);
    const done = reset.find((url) => stored.has(url));
    if (done !== undefined) throw new Error(`The create of ${done} was done, and its connection reset.`);
    const failed = traffic.seen.find((each) => each.status !== undefined && !isGood(each));
    if (failed !== undefined) throw new Error(`A ${failed.kind} had ${failed.status}: ${failed.text}`);
    add({ accepted: traffic.seen.filter(isGood).length, 'reset before they were': reset.length });
  });
});

/** A client with several connections, used in turn, that reports how each request ended. */
interface Fleet extends Client {
  /** Requests without a complete response on connections that the service left open. */
  readonly cut: readonly string[];
  /** The urls, or paths, of requests on new connections that were reset before any response. */
  readonly reset: readonly string[];
}

/** Opens connections on first use. Each belongs to a client; further requests wait for their turn. */
function openFleet(baseUrl: string, key: string): Fleet {
  const lanes = Array.from({ length: CONNECTIONS }, () => ({ client: openClient(baseUrl, key, 1), isHeldOpen: false }));
  const cut: string[] = [];
  const reset: string[] = [];
  let next = 0;
  return {
    cut,
    reset,
    async request(method, path, sent) {
      const lane = lanes[next++ % CONNECTIONS];
      if (lane === undefined) throw new Error('There is no connection.');
      try {
        const response = await lane.client.request(method, path, sent);
        lane.isHeldOpen = response.headers.connection !== 'close';
        return response;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        const form = sent?.form;
        const isReset = code === 'ECONNRESET' || code === 'EPIPE';
        if (!lane.isHeldOpen && isReset) reset.push((typeof form === 'object' ? form.url : undefined) ?? path);
        else if (code !== 'ECONNREFUSED') cut.push(`${method} ${path}: ${error}`);
        lane.isHeldOpen = false;
        throw error;
      }
    },
    close() {
      for (const { client } of lanes) client.close();
    },
  };
}
