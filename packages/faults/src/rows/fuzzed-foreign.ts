import { FUZZED_ALIASES, foreignFault, fuzzedForeignRequest } from '@hitherto/testing/fuzzed-foreign';
import { row } from '../row.ts';
import { watchMemory } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';
import { tallyOf } from '../support/told.ts';
import { repeatedWhenBusy } from '../support/when-busy.ts';

const PER_TRIAL = 500;
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const CONCURRENCY = 4;
const SIZES = { small: 500, perTrial: PER_TRIAL };

export const fuzzedForeign = row('fuzzed-foreign', 100_000, 'requests', SIZES, async (trials) => {
  const service = await trials.open(startHitService({ RATE_LIMIT_PER_MINUTE: '0' }));
  const { program, website, key } = service;
  const owner = await trials.open(service.openClient(key));
  const client = repeatedWhenBusy(await trials.open(service.openClient(null)));
  const statuses = new Map<number, number>();
  const memory = watchMemory(program.pid, trials);
  const json = { aliases: FUZZED_ALIASES.join('\n') };
  await owner.request('PATCH', `/api/v1/websites/${website}`, { json, expects: 200 });
  await trials.each(async ({ index, random }) => {
    let left = PER_TRIAL;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const request = fuzzedForeignRequest(random, key);
        const { method, path, sent } = request;
        const asked = `${method} ${path} ${JSON.stringify(sent)}`.replaceAll(key, 'KEY');
        const { status, text, headers } = await client.request(method, path, sent).catch((error: unknown) => {
          throw new Error(`${asked} gets no response`, { cause: error });
        });
        const fault = foreignFault(request, { status, type: String(headers['content-type']), text });
        if (fault !== undefined) throw new Error(`${asked} gets ${status}: ${text}\n${fault}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    service.expectAlive();
    memory.note(index);
  });
  return `${tallyOf(statuses)}${client.busy()}; ${memory.check()}`;
});
