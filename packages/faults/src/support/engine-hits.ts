import { type ClickHouseServer, skipsClickHouse } from '@hitherto/testing/clickhouse';
import type { StoredHits } from './hit-senders.ts';
import type { HitService } from './service.ts';
import { until } from './until.ts';

const LONGEST_MS = 60_000;

/** The missing requirement, if any. */
export function missingClickHouse(): string | undefined {
  return skipsClickHouse ? 'ClickHouse: unset SKIP_CLICKHOUSE' : undefined;
}

type Pages = Awaited<ReturnType<StoredHits>>;

/**
 * Counts the hits of each page that starts with `prefix`, once nothing waits and no more arrive.
 *
 * @throws if the visits do not have exactly the hits
 */
export async function storedHits(service: HitService, engine: ClickHouseServer, prefix: string): Promise<Pages> {
  const { pageviews } = await untilRead(service, LONGEST_MS);
  const rows = await hitsIn(engine);
  const stored = rows.reduce((sum, { hits }) => sum + hits, 0);
  if (stored !== pageviews) throw new Error(`${stored} hits are stored, but visits have ${pageviews} pageviews.`);
  return rows.filter(({ page }) => page.startsWith(prefix));
}

/** Counts the hits of each page in the engine. */
export async function hitsIn(engine: ClickHouseServer): Promise<Pages> {
  const text = await engine.query(
    'select page, toUInt32(count()) as hits from hit final group by page format JSONEachRow',
  );
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Waits until statistics are read again; returns how many milliseconds that took, and the pageviews. */
export async function untilRead(service: HitService, withinMs: number): Promise<{ ms: number; pageviews: number }> {
  let pageviews = -1;
  const isRead = async () => {
    pageviews = await pageviewsOf(service).catch(() => -1);
    return pageviews >= 0;
  };
  const ms = await until('statistics were not read again.', withinMs, isRead);
  return { ms, pageviews };
}

/** All pageviews of the website, from its visits; rejects while statistics cannot be read. */
export async function pageviewsOf(service: HitService): Promise<number> {
  // A filter reads visits, and no summary.
  const { status, text } = await readStatistics(service, '?device=desktop');
  if (status !== 200) throw new Error(`Statistics get ${status}.`);
  return JSON.parse(text).data.pageviews;
}

/** A read of a silent server ends by its timeout. */
const READ_ENDS_WITHIN_MS = 12_000;

/** Expects that statistics are 503 with `Retry-After` of at most 3 s. */
export async function expectUnavailable(service: HitService): Promise<void> {
  const { status, headers, ms } = await readStatistics(service);
  const wait = Number(headers['retry-after']);
  if (status !== 503 || !(wait <= 3)) throw new Error(`Statistics get ${status}, Retry-After ${wait}.`);
  if (ms > READ_ENDS_WITHIN_MS) throw new Error('The read took too long.');
}

async function readStatistics({ openClient, website, key }: HitService, query = '') {
  const client = await openClient(key);
  return client.request('GET', `/api/v1/websites/${website}/statistics${query}`).finally(client.close);
}
