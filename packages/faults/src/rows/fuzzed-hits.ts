import { MARKUP } from '@hitherto/testing/fuzzed-values';
import { row } from '../row.ts';
import { fuzzedRequest } from '../support/fuzzed-hits.ts';
import { watchMemory } from '../support/memory.ts';
import { startHitService } from '../support/service.ts';
import { tallyOf } from '../support/told.ts';

const PER_TRIAL = 500;
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const CONCURRENCY = 4;

export const fuzzedHits = row('fuzzed-hits', 100_000, 'requests', { perTrial: PER_TRIAL }, async (trials) => {
  const service = await trials.open(startHitService());
  const { program, website, key } = service;
  const owner = await trials.open(service.openClient(key));
  const client = await trials.open(service.openClient(null));
  const statuses = new Map<number, number>();
  const memory = watchMemory(program.pid, trials);
  await owner.request('PATCH', `/api/v1/websites/${website}`, { json: { privacy: 0 } });
  await trials.each(async ({ index, random }) => {
    let left = PER_TRIAL;
    const work = async () => {
      while (left > 0) {
        left -= 1;
        const { method, path, sent } = fuzzedRequest(random, website);
        const asked = `${method} ${path} ${JSON.stringify(sent)}`;
        const { status, text, headers } = await client.request(method, path, sent).catch((error: unknown) => {
          throw new Error(`${asked} gets no response`, { cause: error });
        });
        if (status >= 500) throw new Error(`${asked} gets ${status}: ${text}`);
        const isMarkup = String(headers['content-type']).startsWith('text/html') && text.includes(MARKUP);
        if (isMarkup) throw new Error(`${asked} gets ${status}, with unescaped markup.`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    service.expectAlive();
    memory.note(index);
  });
  return `${tallyOf(statuses)}; ${memory.check()}`;
});
