import { type Client, openClient } from './client.ts';

/** A client with several connections, used in turn, that reports how each request ended. */
export interface Fleet extends Client {
  /** Requests without a complete response on connections that the service kept open. */
  readonly cut: readonly string[];
  /** The urls, or paths, of requests on new connections that were reset before any response. */
  readonly reset: readonly string[];
  /** How many requests got no connection, including those in `reset`. */
  refused(): number;
}

/** Opens connections on first use. */
export function openFleet(baseUrl: string, key: string, count: number): Fleet {
  // Each client has one connection; further requests wait for their turn.
  const lanes = Array.from({ length: count }, () => ({ client: openClient(baseUrl, key, 1), isHeldOpen: false }));
  const cut: string[] = [];
  const reset: string[] = [];
  let refused = 0;
  let next = 0;
  return {
    cut,
    reset,
    refused: () => refused,
    async request(method, path, sent) {
      const lane = lanes[next % lanes.length];
      if (lane === undefined) throw new Error('A fleet needs at least one connection.');
      next += 1;
      try {
        const response = await lane.client.request(method, path, sent);
        lane.isHeldOpen = response.headers.connection !== 'close';
        return response;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code === 'ECONNREFUSED') refused += 1;
        else if (lane.isHeldOpen || (code !== 'ECONNRESET' && code !== 'EPIPE'))
          cut.push(`${method} ${path}: ${error}`);
        else {
          refused += 1;
          const form = sent?.form;
          reset.push((typeof form === 'object' ? form.url : undefined) ?? path);
        }
        lane.isHeldOpen = false;
        throw error;
      }
    },
    close() {
      for (const { client } of lanes) client.close();
    },
  };
}
