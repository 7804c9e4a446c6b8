import { setTimeout as sleep } from 'node:timers/promises';
import { joinOrStartEmbeddedPostgres } from '@hitherto/embedded-postgres';
import pg from 'pg';
import { expect, test } from 'vitest';
import { call, dataFolder, eventually, firstKeyOf, type Service, startService } from './support/program.ts';

/** Under a loaded machine, each start takes its time. */
const PATIENCE_MS = 180_000;
const KILLS = 3;
const SENDERS = 20;
const HITS_BEFORE_KILL = 100;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** Sends hits, each of a page of its own, until the service is gone, and notes the pages that are acknowledged. */
async function sendUntilGone(service: Service, website: string, name: string, acknowledged: string[]): Promise<void> {
  for (let number = 0; ; number += 1) {
    const page = `/${name}-${number}`;
    const body = JSON.stringify({ website, url: `https://example.com${page}` });
    const headers = { 'content-type': 'text/plain', 'user-agent': AGENT };
    try {
      const response = await fetch(`${service.url}/hits`, { method: 'POST', headers, body });
      if (response.status === 202 && !response.headers.has('hitherto-dropped')) acknowledged.push(page);
      await response.arrayBuffer();
    } catch {
      return;
    }
  }
}

/** How often each page is stored. */
async function storedPages(dataDir: string): Promise<Map<string, number>> {
  const postgres = await joinOrStartEmbeddedPostgres({ dataDir, log: () => {}, onProgress: () => {} });
  const client = new pg.Client(postgres.connection);
  await client.connect();
  const { rows } = await client.query<{ page: string; hits: number }>(
    'select page, count(*)::integer as hits from hit group by page',
  );
  await client.end();
  await postgres.stop();
  return new Map(rows.map(({ page, hits }) => [page, hits]));
}

test(
  'acknowledged hits are stored, and none twice, when the program is killed under hits',
  async () => {
    const env = { DATA_DIR: await dataFolder(), RATE_LIMIT_PER_MINUTE: '0' };
    let service = await startService(env);
    await eventually(() => service.output().stderr.includes('hto_'));
    const created = await call(service, firstKeyOf(service), '/api/v1/websites', {
      method: 'POST',
      body: new URLSearchParams({ url: 'https://example.com' }),
    });
    const { data } = (await created.json()) as { data: { id: string } };

    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      // The process to kill is known before, so that nothing comes to rest while it is looked up.
      const { process } = service;
      const enough = acknowledged.length + HITS_BEFORE_KILL + kill * 37;
      const senders = Array.from({ length: SENDERS }, (_, sender) =>
        sendUntilGone(service, data.id, `${kill}-${sender}`, acknowledged),
      );
      while (acknowledged.length < enough) await sleep(1);
      process.kill('SIGKILL');
      await Promise.all(senders);
      service = await startService(env);
    }
    await service.stop();
    const stored = await storedPages(env.DATA_DIR);

    expect(acknowledged.filter((page) => !stored.has(page))).toEqual([]);
    expect([...stored.values()].filter((hits) => hits > 1)).toEqual([]);
  },
  PATIENCE_MS,
);
