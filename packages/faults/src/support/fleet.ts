import { type Client, openClient } from './client.ts';

/** A client with as many connections as asked for, used in turn, that tells how each request on them ended. */
export interface Fleet extends Client {
  /** Requests without a whole answer on connections that the service held open. */
  readonly cut: readonly string[];
  /** The urls, or else the paths, of requests whose connection came about and was reset before anything was answered on it. */
  readonly reset: readonly string[];
  /** How many found no connection, those of `reset` included. */
  refused(): number;
}

/** Opens the connections when they are first used. */
export function openFleet(baseUrl: string, key: string, count: number): Fleet {
  // One client has one connection, and what is asked of it in the meantime waits its turn.
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
      if (lane === undefined) throw new Error('A fleet has at least one connection.');
      next += 1;
      try {
        const answer = await lane.client.request(method, path, sent);
        lane.isHeldOpen = answer.headers.connection !== 'close';
        return answer;
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
