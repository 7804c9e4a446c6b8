import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { encodeCursor } from '@hitherto/api/cursor';
import type { Cut } from '@hitherto/domain';
import { PAGE_ROWS, type PageCost, pageCost } from './buffers.ts';
import { checkAnswer } from './check.ts';
import { type BenchDatabase, withClient } from './database.ts';
import { type FilledAccount, fillAccount, fillManyAccounts, settle, withoutSearchIndex } from './fill.ts';
import type { Operation } from './load/load.ts';
import { operationsOn } from './operations.ts';
import type { Plan } from './rounds.ts';
import { spreadOf } from './statistics.ts';
import { startVariant } from './variants.ts';

/** The time of one kind of request, one after the other on one connection; milliseconds. */
export interface Timing {
  readonly request: string;
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
}

/** An account of some size, in a database that holds all of them. */
export interface SizeResult {
  readonly websites: number;
  readonly firstPage: PageCost;
  readonly farPage: PageCost;
  readonly timings: readonly Timing[];
}

export interface ScaleResult {
  readonly sizes: readonly SizeResult[];
  /** One of 1,000 accounts with 1,000 websites each, in the same database. */
  readonly oneOfMany: readonly Timing[];
  readonly databaseMegabytes: number;
  /** The largest account, in a database that holds nothing else; absent where the disk has no room for it. */
  readonly largest?: { readonly size: SizeResult; readonly databaseMegabytes: number };
}

export const SEARCHES = {
  'rare term (one website)': (size: number) => createHash('md5').update(String(size)).digest('hex').slice(0, 12),
  'term in one website, of trigrams that are in all': (size: number) => `example/${size}`,
  'term of a tenth, sorts late': () => 'zz-shop',
  'term of 3, in few': () => 'abc',
  'term of 3, in all': () => 'exa',
  'term of 3, nowhere': () => 'qqq',
  '2 characters, in all': () => 'ex',
  '2 characters, in some': () => 'ab',
  '2 characters, nowhere': () => 'qq',
  '1 character, in all': () => 'e',
  '1 character, nowhere': () => 'q',
} as const;

const WARM_UP_MS = 1_000;
/** How many requests are wanted, and within what bounds they are waited for, in seconds. */
const ENOUGH = 25;
const LEAST_SECONDS = 2;
const MOST_SECONDS = 30;

const SIZES = [1_000, 100_000, 1_000_000];
/** Searches of 1 or 2 characters are not timed here: where few match, they take longer than a statement may. */
const LARGEST = 5_000_000;
/** What the largest account needs while it is made. */
const LARGEST_NEEDS_BYTES = 12e9;

/** Measures lists and searches in one database with accounts of many sizes, then in one with a single account of 5 million. */
export async function measureScale(database: BenchDatabase, plan: Plan): Promise<ScaleResult> {
  const { sizes, oneOfMany, databaseMegabytes } = await measureSizes(database, SIZES, plan, 1_000);
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < LARGEST_NEEDS_BYTES) {
    plan.progress('The disk has no room for an account of 5,000,000 websites.');
    return { sizes, oneOfMany, databaseMegabytes };
  }
  await withClient(database.url, (client) => client.query('truncate account cascade'));
  const alone = await measureSizes(database, [LARGEST], plan, 0);
  const [size] = alone.sizes;
  return {
    sizes,
    oneOfMany,
    databaseMegabytes,
    ...(size === undefined ? {} : { largest: { size, databaseMegabytes: alone.databaseMegabytes } }),
  };
}

/** Fills one database with accounts of these sizes and many small ones, and measures lists and searches in each. */
async function measureSizes(
  database: BenchDatabase,
  sizes: readonly number[],
  plan: Plan,
  many: number,
): Promise<Omit<ScaleResult, 'largest'>> {
  const accounts: FilledAccount[] = [];
  let ofMany: FilledAccount | undefined;
  await withoutSearchIndex(database.url, async () => {
    for (const size of sizes) accounts.push(await fillAccount(database.url, `size ${size}`, size, plan.progress));
    if (many > 0) ofMany = await fillManyAccounts(database.url, many, 1_000, plan.progress);
    plan.progress('building the search index');
  });
  await settle(database.url);

  const variant = await startVariant('hitherto', { url: database.url });
  const time = async (request: string, operation: Operation): Promise<Timing> => {
    const seconds = secondsFor(await warmUp(variant.url, operation));
    const { requests, p50, p99, failures } = await plan.generator.run(variant.url, operation, 1, seconds);
    if (failures > 0 || requests === 0) throw new Error(`${request}: ${failures} of ${requests} requests failed.`);
    plan.progress(`${request}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, n ${requests}`);
    return { request, requests, p50, p99 };
  };
  try {
    const results: SizeResult[] = [];
    for (const [index, size] of sizes.entries()) {
      const account = accounts[index];
      if (account === undefined) continue;
      plan.progress(`an account of ${size.toLocaleString('en')} websites`);
      const place = Math.floor(size * 0.9);
      const cut = await cutAt(database.url, account.id, 'id desc', place);
      const addressCut = await cutAt(database.url, account.id, 'address', place);
      results.push({
        websites: size,
        firstPage: await pageCost(database.url, account.id, undefined),
        farPage: await pageCost(database.url, account.id, addressCut),
        timings: await timeAccount(account, size, cut, time),
      });
    }
    const oneOfMany = ofMany === undefined ? [] : await timeAccount(ofMany, 1_000, undefined, time, true);
    return { sizes: results, oneOfMany, databaseMegabytes: await megabytes(database.url) };
  } finally {
    await variant.stop();
  }
}

/** Asks one after the other for a second, at least once, and answers the median time, in milliseconds. */
async function warmUp(url: string, operation: Operation): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + WARM_UP_MS;
  do times.push(await checkAnswer(url, operation));
  while (performance.now() < until);
  return spreadOf(times).median;
}

function secondsFor(p50: number): number {
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Math.ceil((ENOUGH * p50) / 1000)));
}

async function timeAccount(
  account: FilledAccount,
  size: number,
  cut: Cut | undefined,
  time: (request: string, operation: Operation) => Promise<Timing>,
  withWrites = false,
): Promise<Timing[]> {
  const operations = operationsOn(account);
  const page = (query: string): Operation => ({
    ...operations['list page'],
    path: `/api/v1/websites?per_page=${PAGE_ROWS}${query}`,
  });
  const timings = [await time('show', operations.show), await time('first page', page(''))];
  if (cut !== undefined) {
    const cursor = encodeCursor(account.id, { order: 'newest_first' }, cut);
    timings.push(await time('page at 90 %', page(`&cursor=${cursor}`)));
  }
  for (const [name, term] of Object.entries(SEARCHES)) {
    if (size === LARGEST && /^[12] character/.test(name)) continue;
    timings.push(await time(`search: ${name}`, page(`&sort=asc&search=${encodeURIComponent(term(size))}`)));
  }
  if (withWrites) {
    timings.push(await time('store', operations.store), await time('update', operations.update));
  }
  return timings;
}

async function cutAt(url: string, accountId: string, order: 'id desc' | 'address', place: number): Promise<Cut> {
  return withClient(url, async (client) => {
    const [column] = order.split(' ');
    const text = `select ${column}::text as key from website where account_id = $1 order by ${order} offset $2 limit 1`;
    const { rows } = await client.query<{ key: string }>(text, [accountId, place]);
    return { side: 'after', key: rows[0]?.key ?? '' };
  });
}

async function megabytes(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ size: number }>(
      'select round(pg_database_size(current_database()) / 1048576.0)::int as size',
    );
    return rows[0]?.size ?? 0;
  });
}
