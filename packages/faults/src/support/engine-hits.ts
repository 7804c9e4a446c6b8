import type { ClickHouseServer } from '@hitherto/testing/clickhouse';
import { openClient } from './client.ts';
import type { StoredHits } from './hit-senders.ts';
import type { HitService } from './service.ts';
import { until } from './until.ts';

const LONGEST_MS = 60_000;

/**
 * How often each page is stored in the engine, once nothing waits.
 *
 * @throws if the visits do not have exactly the hits
 */
export async function storedHits(
  service: HitService,
  engine: ClickHouseServer,
  prefix: string,
): Promise<Awaited<ReturnType<StoredHits>>> {
  let pageviews = 0;
  await until('statistics were not read again.', LONGEST_MS, async () => {
    pageviews = await pageviewsOf(service).catch(() => -1);
    return pageviews >= 0;
  });
  const rows = await rowsOf<{ page: string; hits: string }>(
    engine,
    'select page, count() as hits from hit final group by page',
  );
  const hits = rows.reduce((all, { hits }) => all + Number(hits), 0);
  if (hits !== pageviews) throw new Error(`${hits} hits are stored, but visits have ${pageviews} pageviews.`);
  return rows.filter(({ page }) => page.startsWith(prefix)).map(({ page, hits }) => ({ page, hits: Number(hits) }));
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

async function rowsOf<Row>({ url }: ClickHouseServer, query: string): Promise<Row[]> {
  const response = await fetch(`${url}/?default_format=JSONEachRow`, { method: 'POST', body: query });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
