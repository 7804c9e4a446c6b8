import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { start, stop } from '@hitherto/testing/processes';
import type { Row } from '../row.ts';
import { openClient } from '../support/client.ts';
import { BROWSER, createCollectingWebsite } from '../support/hit-senders.ts';
import { startHitService } from '../support/hit-service.ts';
import type { OwnPostgres } from '../support/own-postgres.ts';
import { quantile, startPace } from '../support/pace.ts';

const FLOODER = fileURLToPath(new URL('../../dist/support/hit-flooder.js', import.meta.url));
/** Floods a website that is not the one whose hits are measured. At most a third of what the service takes on two cores. */
const FLOODS = [
  { kind: 'one-address', perSecond: 500 },
  { kind: 'many-addresses', perSecond: 500 },
  { kind: 'unknown-ids', perSecond: 500 },
  { kind: 'huge-values', perSecond: 200 },
] as const;
/** The hits of the healthy website, a second. */
const PER_SECOND = 50;
const ROUNDS = 5;
const PHASE_MS = 4_000;
/** The time until the flood has reached its full rate. */
const RISE_MS = 2_000;
const TIMES_ALONE = 3;
/** What a flooding hit may take on disk: the longest page and properties, with their visit and the write-ahead log left out. */
const MOST_BYTES = 16 * 1024;
/** What nothing stored may add: free space of pages, statistics of tables. */
const SLACK_BYTES = 2 * 1024 * 1024;

export const floodHits: Row = {
  name: 'flood-hits',
  what: 'hits from one address, from many, for unknown ids, and of the largest size, 200 to 500/s',
  required: 'hits of another website: no errors; median p99 of five rounds ≤ 3 × alone; disk ≤ 16 KiB per stored hit',
  unit: 'floods',
  full: FLOODS.length,
  async run(trials) {
    const service = await startHitService({ RATE_LIMIT_PER_MINUTE: '600' });
    const { postgres, program, website } = service;
    const flooded = await createCollectingWebsite(program.url, await postgres.issueKey('flooded'));
    const client = openClient(program.url, null, Number.POSITIVE_INFINITY);
    let sent = 0;
    const send = async (times: number[]) => {
      sent += 1;
      const headers = {
        'content-type': 'text/plain',
        'user-agent': BROWSER,
        'x-forwarded-for': `198.51.100.${sent % 250}`,
      };
      const body = JSON.stringify({ website, url: `https://example.com/${sent % 100}` });
      const { status, text, ms } = await client.request('POST', '/hits', { body, headers });
      if (status !== 202) throw new Error(`A hit of the other website gets ${status} ${text}`);
      times.push(ms);
    };
    /** The p99 of the healthy website's hits from now on, in milliseconds. */
    const measure = async () => {
      const times: number[] = [];
      const pace = startPace(PER_SECOND, () => send(times));
      await sleep(PHASE_MS);
      await pace.stop();
      return quantile(times, 0.99);
    };
    const found: string[] = [];
    try {
      await measure();
      await trials.each(async ({ index }) => {
        const { kind, perSecond } = FLOODS[index % FLOODS.length] ?? FLOODS[0];
        const before = await usage(postgres);
        const alone: number[] = [];
        const beside: number[] = [];
        for (let round = 0; round < (trials.isFull ? ROUNDS : 1); round += 1) {
          alone.push(await measure());
          const args = [FLOODER, kind, new URL(program.url).port, String(perSecond), flooded];
          const flooder = start(process.execPath, args, { stdio: 'inherit' });
          try {
            await sleep(RISE_MS);
            beside.push(await measure());
            if (flooder.exitCode !== null) throw new Error('The flooder ended by itself.');
          } finally {
            await stop(flooder);
          }
        }
        const after = await usage(postgres);
        const [hits, bytes] = [after.hits - before.hits, after.bytes - before.bytes];
        const [p99Alone, p99] = [quantile(alone, 0.5), quantile(beside, 0.5)];
        const times = `${kind}: p99 ${p99Alone.toFixed(1)} ms alone, ${p99.toFixed(1)} ms flooded`;
        const line = `${times}, ${hits.toLocaleString('en')} hits stored, ${(bytes / 1e6).toFixed(1)} MB`;
        trials.progress(line);
        found.push(line);
        if (trials.isFull && p99 > TIMES_ALONE * p99Alone)
          throw new Error(`The other website waits too long: ${line}.`);
        if (bytes > SLACK_BYTES + hits * MOST_BYTES) throw new Error(`The disk fills too fast: ${line}.`);
        service.expectAlive();
      });
    } finally {
      client.close();
      await service.close();
    }
    return found.join('; ');
  },
};

/** The stored hits of all websites, and the size of the database. */
async function usage({ query }: Pick<OwnPostgres, 'query'>): Promise<{ hits: number; bytes: number }> {
  const [row] = await query<{ hits: number; bytes: number }>(
    `select (select count(*) from hit)::double precision as hits,
       pg_database_size(current_database())::double precision as bytes`,
  );
  return row ?? { hits: 0, bytes: 0 };
}
