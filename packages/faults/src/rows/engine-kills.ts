import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseServer, skipsClickHouse, startClickHouse } from '@hitherto/testing/clickhouse';
import { row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { type StoredHits, startHitSenders } from '../support/hit-senders.ts';
import { type HitService, startHitService } from '../support/service.ts';
import { addTo, told } from '../support/told.ts';
import { until } from '../support/until.ts';

const HITS_BEFORE = 200;
const LONGEST_MS = 60_000;

/** What a trial kills, in turn. */
const VICTIMS = ['the engine', 'the program', 'both'] as const;

export const killEngine = row(
  'kill-engine',
  100,
  'kills',
  {
    small: 3,
    ...(skipsClickHouse ? {} : { isTested: true }),
    missing: () => (skipsClickHouse ? 'SKIP_CLICKHOUSE is set.' : undefined),
  },
  async (trials) => {
    const engine = await startClickHouse();
    await trials.open({ close: () => engine.stop() });
    const service = await trials.open(startHitService({ CLICKHOUSE_URL: engine.url }));
    const sum = { acknowledged: 0, unknown: 0, stored: 0 };
    await trials.each(async ({ index, random }) => {
      const victim = VICTIMS[index % VICTIMS.length];
      const senders = startHitSenders(service, random, (prefix) => storedHits(service, engine, prefix));
      await senders.reach(random.below(HITS_BEFORE));
      // Reads hand hits over in between.
      const read = pageviewsOf(service).catch(() => 0);
      await sleep(random.below(300));
      const { process: program, ended } = service.program;
      if (victim !== 'the engine') program.kill('SIGKILL');
      if (victim !== 'the program') await engine.kill();
      await sleep(random.below(500));
      if (victim !== 'the program') await engine.restart();
      if (victim !== 'the engine') {
        await ended;
        await service.restart();
      }
      await read;
      await senders.stop();
      const stored = await senders.check();
      addTo(sum, { stored, acknowledged: senders.acknowledged(), unknown: senders.unknown() });
    });
    return told`${sum.acknowledged} hits acknowledged, all counted, none twice; of ${sum.unknown} without a response, ${sum.stored} were stored`;
  },
);

/**
 * How often each page is stored in the engine, once nothing waits.
 *
 * @throws if the visits do not have exactly the hits
 */
async function storedHits(
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

/** All pageviews of the website, from its visits. */
async function pageviewsOf({ program, website, key }: HitService): Promise<number> {
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
