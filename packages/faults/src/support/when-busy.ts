import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, Client, Sent } from './client.ts';

const ATTEMPTS = 30;
const PAUSE_MS = 500;

/**
 * A client that sends a request again while the service is overloaded: next to other work, its database may not respond in
 * time. `busy` says how often that was, so that a result shows it.
 */
export function repeatedWhenBusy(client: Client): Pick<Client, 'request'> & { busy(): string } {
  let count = 0;
  return {
    async request(method: string, path: string, sent?: Sent): Promise<ApiResponse> {
      for (let attempt = 1; ; attempt += 1) {
        const response = await client.request(method, path, sent);
        if (response.status !== 503 || attempt === ATTEMPTS) return response;
        count += 1;
        await sleep(PAUSE_MS);
      }
    },
    busy: () => (count === 0 ? '' : `; ${count.toLocaleString('en')} × 503 next to other work, repeated`),
  };
}
