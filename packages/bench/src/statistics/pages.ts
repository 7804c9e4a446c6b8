import { withClient } from '../database.ts';
import { percentile } from '../spread.ts';
import type { RunningVariant } from '../variants.ts';
import type { HitWebsite } from './hits.ts';
import type { StatisticsPlan } from './plan.ts';
import { type UsualTotals, usualQuery } from './usual-query.ts';

/** The times of reads, one after the other over HTTP, in milliseconds. */
export interface ReadTimes {
  readonly reads: number;
  /** How many of them were 503, because a statement took too long. */
  readonly refused: number;
  readonly p50: number;
  readonly p95: number;
}

/** A page and the usual query on the same data, by round, in milliseconds. */
export interface AgainstUsual {
  readonly page: readonly number[];
  readonly usual: readonly number[];
  readonly totals: UsualTotals;
}

const WARM_UP_READS = 3;
/** How long a page is read again and again, in milliseconds, and how often at least. */
const MAX_READING_MS = 60_000;
const MIN_READS = 5;

/** Reads the statistics page of a website. */
export async function timePage(
  server: RunningVariant,
  { id }: HitWebsite,
  reads: number,
  filter = '',
): Promise<ReadTimes> {
  const url = `${server.url}/statistics/${id}?period=28d${filter}`;
  for (let n = 0; n < WARM_UP_READS; n += 1) await timeRead(url);
  const times: number[] = [];
  let refused = 0;
  const end = performance.now() + MAX_READING_MS;
  while (times.length < reads && (times.length < MIN_READS || performance.now() < end)) {
    const { ms, status } = await timeRead(url);
    times.push(ms);
    if (status === 503) refused += 1;
  }
  times.sort((a, b) => a - b);
  return { reads: times.length, refused, p50: percentile(times, 50), p95: percentile(times, 95) };
}

async function timeRead(url: string): Promise<{ ms: number; status: number }> {
  const start = performance.now();
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200 && response.status !== 503) throw new Error(`${url}: ${response.status}: ${text}`);
  return { ms: performance.now() - start, status: response.status };
}

/** Reads the page and asks the usual query in turns; rejects if their numbers differ. */
export async function compareWithUsual(
  server: RunningVariant,
  databaseUrl: string,
  website: HitWebsite,
  key: string,
  period: { readonly from: string; readonly to: string },
  { rounds, progress }: Pick<StatisticsPlan, 'rounds' | 'progress'>,
): Promise<AgainstUsual> {
  const page: number[] = [];
  const usual: number[] = [];
  const totals = await totalsOf(server, website, key, period);
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ number: string }>('select number from website where id = $1', [website.id]);
    const number = rows[0]?.number ?? '';
    for (let round = 1; round <= rounds; round += 1) {
      const { ms } = await timeRead(`${server.url}/statistics/${website.id}?from=${period.from}&to=${period.to}`);
      const start = performance.now();
      const found = await usualQuery(client, number, period.from, period.to);
      const usualMs = performance.now() - start;
      if (found.visitors !== totals.visitors || found.pageviews !== totals.pageviews) {
        throw new Error(`The numbers differ: ${JSON.stringify({ found, totals })}`);
      }
      page.push(ms);
      usual.push(usualMs);
      progress(`page against the usual query: ${ms.toFixed()} ms, ${usualMs.toFixed()} ms`);
    }
  });
  return { page, usual, totals };
}

async function totalsOf(
  server: RunningVariant,
  { id }: HitWebsite,
  key: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<UsualTotals> {
  const url = `${server.url}/api/v1/websites/${id}/statistics?from=${from}&to=${to}`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  const { data }: { data: UsualTotals } = JSON.parse(await response.text());
  return { visitors: data.visitors, pageviews: data.pageviews };
}
