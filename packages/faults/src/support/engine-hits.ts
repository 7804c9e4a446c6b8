import { type ClickHouseServer, skipsClickHouse } from '@hitherto/testing/clickhouse';
import { openClient } from './client.ts';
import type { StoredHits } from './hit-senders.ts';
import type { HitService } from './service.ts';
import { until } from './until.ts';

const LONGEST_MS = 60_000;

/** The missing requirement, if any. */
export function missingClickHouse(): string | undefined {
  return skipsClickHouse ? 'ClickHouse: unset SKIP_CLICKHOUSE' : undefined;
}

/**
 * Counts the hits of each page in the engine that starts with `prefix`, once nothing waits.
 *
 * @throws if the visits do not have exactly the hits
 */
export async function storedHits(
  service: HitService,
  engine: ClickHouseServer,
  prefix: string,
): Promise<Awaited<ReturnType<StoredHits>>> {
  const { pageviews } = await untilRead(service, LONGEST_MS);
  const text = await engine.query(
    'select page, toUInt32(count()) as hits from hit final group by page format JSONEachRow',
  );
  const lines = text.split('\n').filter((line) => line !== '');
  const rows = lines.map((line): { page: string; hits: number } => JSON.parse(line));
  const stored = rows.reduce((sum, { hits }) => sum + hits, 0);
  if (stored !== pageviews) throw new Error(`${stored} hits are stored, but visits have ${pageviews} pageviews.`);
  return rows.filter(({ page }) => page.startsWith(prefix));
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
export async function pageviewsOf({ program, website, key }: HitService): Promise<number> {
  const client = openClient(() => program.url, key);
  try {
    // A filter reads visits, and no summary.
    const { status, text } = await client.request('GET', `/api/v1/websites/${website}/statistics?device=desktop`);
    if (status !== 200) throw new Error(`Statistics get ${status}.`);
    return JSON.parse(text).data.pageviews;
  } finally {
    client.close();
  }
}
