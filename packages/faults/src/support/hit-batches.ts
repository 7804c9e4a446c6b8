import type { Random } from '@hitherto/testing/random';
import { openClient } from './client.ts';
import { BROWSER } from './hit-senders.ts';
import type { HitService } from './service.ts';

const BATCH = 500;
const PAGES = 200;
const VISITORS = 20_000;
const HOUR_MS = 3_600_000;

/** The pages of hits that were sent, and how often each was. */
export interface SentPages {
  readonly prefix: string;
  readonly sent: ReadonlyMap<string, number>;
}

/**
 * Sends hits of the last hour in batches, each under a key of its own.
 *
 * @throws if a batch is not 202
 */
export async function sendBatches(service: HitService, random: Random, hits: number): Promise<SentPages> {
  const { program, website, key } = service;
  const client = openClient(() => program.url, key);
  const prefix = `/${random.word(12)}-`;
  const sent = new Map<string, number>();
  const now = Date.now();
  try {
    for (let start = 0; start < hits; start += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, hits - start) }, () => {
        const page = `${prefix}${random.below(PAGES)}`;
        sent.set(page, (sent.get(page) ?? 0) + 1);
        return {
          website,
          url: `https://example.com${page}`,
          visitor: `v${random.below(VISITORS)}`,
          user_agent: BROWSER,
          time: new Date(now - random.below(HOUR_MS)).toISOString(),
        };
      });
      const headers = { 'idempotency-key': `${prefix}${start}` };
      await client.request('POST', '/api/v1/hits', { json: { hits: batch }, headers, expects: 202 });
    }
  } finally {
    client.close();
  }
  return { prefix, sent };
}
