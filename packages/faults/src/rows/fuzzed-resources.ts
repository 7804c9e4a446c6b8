import { contractOf, type OpenApiDocument } from '@hitherto/testing/contract';
import { createFuzzedResources, type KnownIds } from '@hitherto/testing/fuzzed-resources';
import { row } from '../row.ts';
import { watchMemory } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';
import { tallyOf } from '../support/told.ts';
import { repeatedWhenBusy } from '../support/when-busy.ts';

const PER_TRIAL = 500;
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const CONCURRENCY = 4;
/** Webhooks deliver nothing beyond this machine: there is no such port. */
const NOWHERE = 'http://127.0.0.1:1/hook';

export const fuzzedResources = row(
  'fuzzed-resources',
  50_000,
  'requests',
  { small: 500, perTrial: PER_TRIAL },
  async (trials) => {
    const service = await trials.open(
      startHitService({ RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' }),
    );
    const { program, website, key } = service;
    const client = repeatedWhenBusy(await trials.open(service.openClient(key)));
    const document: OpenApiDocument = JSON.parse((await client.request('GET', '/openapi.json')).text);
    const contract = contractOf(document);
    const generator = createFuzzedResources(document);
    const statuses = new Map<number, number>();
    const memory = watchMemory(program.pid, trials);
    await trials.each(async ({ index, random }) => {
      const ids: KnownIds = new Map([['id', website]]);
      let left = PER_TRIAL;
      const work = async () => {
        while (left > 0) {
          left -= 1;
          const { pattern, method, path, sent } = generator.next(random, ids);
          const near = pattern.startsWith('/api/v1/webhooks') ? withLocalUrl(sent) : sent;
          const asked = `${method} ${path} ${JSON.stringify(near)}`.slice(0, 4_000);
          const response = await client.request(method, path, near).catch((error: unknown) => {
            throw new Error(`${asked} gets no response`, { cause: error });
          });
          const { status, text } = response;
          if (status >= 500) throw new Error(`${asked} gets ${status}: ${text}`);
          try {
            contract(method, path, response);
          } catch (error) {
            throw new Error(`${asked} gets ${status}, not as documented: ${text.slice(0, 2_000)}`, { cause: error });
          }
          if (status === 201) generator.learn(pattern, text, ids);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      service.expectAlive();
      memory.note(index);
    });
    return `${tallyOf(statuses)}${client.busy()}; ${memory.check()}`;
  },
);

/** The same body with an address on this machine in the place of any other. */
function withLocalUrl<Sent extends { readonly body?: string | Buffer }>(sent: Sent): Sent {
  if (typeof sent.body !== 'string') return sent;
  return { ...sent, body: sent.body.replaceAll(/"[a-z]+:\/\/[^"]*"/gi, JSON.stringify(NOWHERE)) };
}
