import { randomBytes } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openHitLookups } from '@hitherto/adapters/lookups';
import { openPostgres } from '@hitherto/adapters/postgres';
import { newId } from '@hitherto/adapters/system';
import { createGroupCommit } from '@hitherto/collector/group-commit';
import { type CountedHit, compileSettings, countHit } from '@hitherto/domain';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { withClient } from '../database.ts';
import { createHits, type HitWebsite } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';

/** Hits a second by round: the committer, fed by so many senders, and a COPY loop with batches of the same size. */
export interface CommitterResult {
  readonly senders: number;
  /** Hits a batch on average, in the last round. */
  readonly batch: number;
  readonly committer: readonly number[];
  readonly copy: readonly number[];
}

const HITS = 20_000;

/** Compares the committer, fed from memory, with a COPY loop into the same table, in turns. No service runs. */
export async function measureCommitter(
  databaseUrl: string,
  website: HitWebsite,
  senders: number,
  plan: StatisticsPlan,
): Promise<CommitterResult> {
  const hits = await countedHits(website);
  const result = { senders, batch: 0, committer: [] as number[], copy: [] as number[] };
  for (let round = 0; round <= plan.rounds; round += 1) {
    const committed = await commit(databaseUrl, hits, senders, plan.seconds);
    const copied = await copy(databaseUrl, hits, committed.batch, plan.seconds);
    if (round === 0) continue;
    result.batch = committed.batch;
    result.committer.push(committed.perSecond);
    result.copy.push(copied);
    plan.progress(
      `committer: round ${round} of ${plan.rounds}, ${senders} senders, batches of ${committed.batch}: ` +
        `${committed.perSecond.toFixed()}/s, COPY ${copied.toFixed()}/s`,
    );
  }
  return result;
}

/** Hits as the collector has counted them. */
async function countedHits(website: HitWebsite): Promise<readonly CountedHit[]> {
  const lookups = await openHitLookups();
  const none = { excludeBots: true, excludedParams: [], excludedIps: [] };
  const settings = compileSettings({ ...none, id: website.id, url: `https://${website.host}` });
  const [salt, time, next] = [randomBytes(32), new Date(), createHits([website], 6)];
  const day = time.toISOString().slice(0, 10);
  return Array.from({ length: HITS }, () => {
    const { url, referrer, address: ip, userAgent, language } = next();
    const hit = { url, ip, userAgent, language, time, sender: 'browser', ...(referrer && { referrer }) } as const;
    const judged = countHit(settings, hit, lookups, day, salt);
    if (judged.drop !== undefined) throw new Error(judged.drop.detail);
    return judged.counted;
  });
}

/** Each sender adds its next hit when the last one is committed. */
async function commit(
  databaseUrl: string,
  hits: readonly CountedHit[],
  senders: number,
  seconds: number,
): Promise<{ perSecond: number; batch: number }> {
  const repositories = openPostgres({ connection: databaseUrl, log: () => {} });
  let [stored, batches] = [0, 0];
  const group = createGroupCommit({
    hits: repositories.hits,
    newId,
    onCommit: (count) => {
      stored += count;
      batches += 1;
    },
  });
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: senders }, async (_, sender) => {
      for (let n = sender; performance.now() < end; n += senders) await group.add(at(hits, n), end + 10_000);
    }),
  );
  const perSecond = stored / ((performance.now() - start) / 1_000);
  await group.close();
  await repositories.close();
  return { perSecond, batch: Math.round(stored / batches) };
}

/** One COPY and its commit a batch, on one connection, and nothing else. */
async function copy(databaseUrl: string, hits: readonly CountedHit[], batch: number, seconds: number): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>('select number from website limit 1');
    const number = rows[0]?.number ?? '';
    const start = performance.now();
    let stored = 0;
    for (; performance.now() < start + seconds * 1_000; stored += batch) {
      await copyBatch(
        client,
        Array.from({ length: batch }, (_, n) => lineOf(at(hits, stored + n), number)),
      );
    }
    return stored / ((performance.now() - start) / 1_000);
  });
}

const COLUMNS = `website_number, visitor, time, day, host, page, channel, source, referrer, utm_source, utm_medium, utm_campaign,
  utm_content, utm_term, country, language, browser, os, device, name`;

function copyBatch(client: pg.Client, lines: readonly string[]): Promise<void> {
  return pipeline([lines.join('')], client.query(copyFrom(`copy hit (${COLUMNS}) from stdin`)));
}

/** The hits of this benchmark have nothing to escape. */
function lineOf(hit: CountedHit, number: string): string {
  const { source, referrer, utmSource, utmMedium, utmCampaign, utmContent, utmTerm } = hit;
  const { country, language, browser, os, device, name } = hit;
  const fixed = [
    number,
    BigInt.asIntN(64, hit.visitor),
    hit.time.toISOString(),
    hit.day,
    hit.host,
    hit.page,
    hit.channel,
  ];
  const labels = [source, referrer, utmSource, utmMedium, utmCampaign, utmContent, utmTerm];
  return `${[...fixed, ...labels, country, language, browser, os, device, name].map((value) => value ?? '\\N').join('\t')}\n`;
}

function at(hits: readonly CountedHit[], n: number): CountedHit {
  const hit = hits[n % hits.length];
  if (hit === undefined) throw new Error('There are no hits.');
  return hit;
}
