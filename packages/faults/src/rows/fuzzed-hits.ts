import { memoryOf } from '@hitherto/testing/proc';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { fuzzedRequest, MARKUP } from '../support/fuzzed-hits.ts';
import { startHitService } from '../support/hit-service.ts';

const PER_TRIAL = 500;
/** As many as the pool for statistics has connections: more would wait for one, and get 503 on a busy machine. */
const CONCURRENCY = 4;
const MOST_GROWTH = 1.2;

export const fuzzedHits: Row = {
  name: 'fuzzed-hits',
  what: 'fuzzed hits, pixels, events, pages, forms and cookies',
  required: 'no 5xx, no crash, no unescaped markup; memory at the end ≤ 1.2 × memory at 10 %',
  unit: 'requests',
  full: 100_000,
  perTrial: PER_TRIAL,
  async run(trials) {
    const service = await startHitService();
    const { program, website, key } = service;
    const owner = openClient(program.url, key);
    const client = openClient(program.url, null);
    const statuses = new Map<number, number>();
    let early: number | undefined;
    try {
      await owner.request('PATCH', `/api/v1/websites/${website}`, { json: { privacy: 0 } });
      await trials.each(async ({ index, random }) => {
        let left = PER_TRIAL;
        const work = async () => {
          for (; left > 0; ) {
            left -= 1;
            const { method, path, sent } = fuzzedRequest(random, website);
            const asked = `${method} ${path} ${JSON.stringify(sent)}`;
            const { status, text, headers } = await client.request(method, path, sent).catch((error: unknown) => {
              throw new Error(`${asked} gets no response`, { cause: error });
            });
            const what = `${asked} gets ${status}`;
            if (status >= 500) throw new Error(`${what}: ${text}`);
            const isMarkup = String(headers['content-type']).startsWith('text/html') && text.includes(MARKUP);
            if (isMarkup) throw new Error(`${what}, with unescaped markup.`);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, work));
        service.expectAlive();
        if (index + 1 === Math.ceil(trials.count / 10)) early = memoryOf(program.pid)?.now;
      });
      const late = memoryOf(program.pid)?.now;
      // A new process still grows. Only many requests show whether that goes on.
      if (trials.isFull && early !== undefined && late !== undefined && late > MOST_GROWTH * early) {
        throw new Error(`Memory grew from ${early.toFixed()} MB at 10 % to ${late.toFixed()} MB at the end.`);
      }
      const spread = [...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, n]) => `${n.toLocaleString('en')} × ${status}`);
      return `${spread.join(', ')}; ${early?.toFixed() ?? '?'} MB at 10 %, ${late?.toFixed() ?? '?'} MB at the end`;
    } finally {
      owner.close();
      client.close();
      await service.close();
    }
  },
};
