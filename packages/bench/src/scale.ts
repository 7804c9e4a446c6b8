import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { encodeCursor } from '@hitherto/api/cursor';
import type { CursorPosition } from '@hitherto/domain';
import { PAGE_ROWS, type PageCost, pageCost } from './buffers.ts';
import { type BenchDatabase, withClient } from './database.ts';
import { type FilledAccount, fillAccount, fillManyAccounts, settle, withoutSearchIndex } from './fill.ts';
import type { Operation } from './load/load.ts';
import { operationsOn } from './operations.ts';
import type { Plan } from './rounds.ts';
import { type Times, timeLoad, timeSingles } from './timing.ts';
import { startVariant } from './variants.ts';

/** The times of one kind of request. */
export interface Timing extends Times {
  readonly request: string;
}

/** An account of some size, in a database with accounts of all sizes. */
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
  /** The largest account, in its own database; absent if the disk has no room for it. */
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

const SIZES = [1_000, 100_000, 1_000_000];
const LARGEST = 5_000_000;
/** Searches that may exceed the statement timeout in the largest account. */
const SHORT_SEARCH = /^[12] character/;
/** The disk space that the largest account needs while it is filled. */
const LARGEST_NEEDS_BYTES = 12e9;

/** Measures lists and searches in a database with accounts of many sizes, then in one with a single account of 5 million. */
export async function measureScale(database: BenchDatabase, plan: Plan): Promise<ScaleResult> {
  const { sizes, oneOfMany, databaseMegabytes } = await measureSizes(database, SIZES, plan, 1_000);
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < LARGEST_NEEDS_BYTES) {
    plan.progress('The disk has too little space for an account of 5,000,000 websites.');
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
  const time = async (request: string, operation: Operation, mayFail = false): Promise<Timing> => {
    const times = mayFail
      ? await timeSingles(variant.url, operation)
      : await timeLoad(variant.url, operation, plan.generator);
    const { requests, p50, p99, refused = 0 } = times;
    plan.progress(
      `${request}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, n ${requests}, ${refused} of them 503`,
    );
    return { request, ...times };
  };
  try {
    const results: SizeResult[] = [];
    for (const [index, size] of sizes.entries()) {
      const account = accounts[index];
      if (account === undefined) continue;
      plan.progress(`an account of ${size.toLocaleString('en')} websites`);
      const place = Math.floor(size * 0.9);
      const position = await positionAt(database.url, account.id, 'id desc', place);
      const addressPosition = await positionAt(database.url, account.id, 'address', place);
      results.push({
        websites: size,
        firstPage: await pageCost(database.url, account.id, undefined),
        farPage: await pageCost(database.url, account.id, addressPosition),
        timings: await timeAccount(account, size, position, time),
      });
    }
    const oneOfMany = ofMany === undefined ? [] : await timeAccount(ofMany, 1_000, undefined, time, true);
    return { sizes: results, oneOfMany, databaseMegabytes: await megabytes(database.url) };
  } finally {
    await variant.stop();
  }
}

async function timeAccount(
  account: FilledAccount,
  size: number,
  position: CursorPosition | undefined,
  time: (request: string, operation: Operation, mayFail?: boolean) => Promise<Timing>,
  withWrites = false,
): Promise<Timing[]> {
  const operations = operationsOn(account);
  const page = (query: string): Operation => ({
    ...operations['list page'],
    path: `/api/v1/websites?per_page=${PAGE_ROWS}${query}`,
  });
  const timings = [await time('show', operations.show), await time('first page', page(''))];
  if (position !== undefined) {
    const cursor = encodeCursor(account.id, { order: 'newest_first' }, position);
    timings.push(await time('page at 90 %', page(`&cursor=${cursor}`)));
  }
  for (const [name, term] of Object.entries(SEARCHES)) {
    const search = page(`&sort=asc&search=${encodeURIComponent(term(size))}`);
    timings.push(await time(`search: ${name}`, search, size === LARGEST && SHORT_SEARCH.test(name)));
  }
  if (withWrites) {
    timings.push(await time('create', operations.create), await time('update', operations.update));
  }
  return timings;
}

async function positionAt(
  url: string,
  accountId: string,
  order: 'id desc' | 'address',
  place: number,
): Promise<CursorPosition> {
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
