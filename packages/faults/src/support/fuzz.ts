import type { Random } from '@hitherto/testing/random';
import type { Trials } from '../row.ts';
import type { ApiResponse, Client, Sent } from './client.ts';
import { watchMemory } from './memory.ts';
import { tallyOf } from './numbers-text.ts';
import type { Service } from './service.ts';

/** How many requests a trial sends. */
export const PER_TRIAL = 500;
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const CONCURRENCY = 4;
/** A key, which no error may show. */
const KEY = /hto_\w+/g;

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

export interface Fuzzer<Request extends SentRequest> {
  readonly next: (random: Random) => Request;
  /** The rule that a response breaks, if any; it may throw instead. */
  readonly faultOf: (request: Request, response: ApiResponse) => string | undefined;
}

/** Counts the responses of a service by status, and watches its memory. */
export function startTally(trials: Trials, { program, expectAlive }: Pick<Service, 'program' | 'expectAlive'>) {
  const statuses = new Map<number, number>();
  const memory = watchMemory(program.pid, trials);
  return {
    statuses,
    count({ status }: ApiResponse) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
    /** @throws if the service has ended */
    endTrial(index: number) {
      expectAlive();
      memory.note(index);
    },
    /** @throws if its memory has grown too much */
    found: () => `${tallyOf(statuses)}; ${memory.check()}`,
  };
}

export type Tally = ReturnType<typeof startTally>;

/**
 * Sends requests near valid ones, and checks each response and the memory of the service.
 *
 * @param newFuzzer makes one for each trial
 * @returns how often each status came, and the memory
 */
export async function fuzz<Request extends SentRequest>(
  trials: Trials,
  service: Pick<Service, 'program' | 'expectAlive'>,
  client: Pick<Client, 'request'>,
  newFuzzer: () => Fuzzer<Request>,
): Promise<string> {
  const tally = startTally(trials, service);
  await trials.each(async ({ index, random }) => {
    const { next, faultOf } = newFuzzer();
    let left = PER_TRIAL;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const request = next(random);
        const { method, path, sent } = request;
        const asked = `${method} ${path} ${JSON.stringify(sent)}`.replaceAll(KEY, 'KEY').slice(0, 4_000);
        const response = await client.request(method, path, sent).catch((error: unknown) => {
          throw new Error(`${asked} gets no response`, { cause: error });
        });
        const { status, text } = response;
        const fault = status >= 500 ? 'It is an error of the server.' : faultOf(request, response);
        if (fault !== undefined) throw new Error(`${asked} gets ${status}: ${text.slice(0, 2_000)}\n${fault}`);
        tally.count(response);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    tally.endTrial(index);
  });
  return tally.found();
}
