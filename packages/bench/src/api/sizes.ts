import { createHash } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { encodeCursor } from '@hitherto/api/cursor';
import type { CursorPosition } from '@hitherto/domain/websites';
import { rowsOf } from '@hitherto/testing/databases';
import { databaseBytes } from '../database.ts';
import { atMost, medianOf, type Target } from '../figures.ts';
import { timeRequests } from '../load/measure.ts';
import { requestOf } from '../load/request.ts';
import type { Run } from '../run.ts';
import { startHitherto } from '../servers.ts';
import { type FilledAccount, fillAccount, fillManyAccounts, settle, withoutSearchIndex } from './fill.ts';
import { operationsOn } from './operations.ts';
import { pageCost } from './page-cost.ts';

/** By name, the term of a search in an account of this size, and the most that its median may take in one of a million. */
const SEARCHES: Readonly<Record<string, { readonly term: (size: number) => string; readonly must: number }>> = {
  'rare term (one website)': {
    term: (size) => createHash('md5').update(String(size)).digest('hex').slice(0, 12),
    must: 10,
  },
  'term in one website, of trigrams that are in all': { term: (size) => `example/${size}`, must: 150 },
  'term of a tenth, sorts late': { term: () => 'zz-shop', must: 150 },
  'term of 3, in few': { term: () => 'abc', must: 150 },
  'term of 3, in all': { term: () => 'exa', must: 150 },
  'term of 3, nowhere': { term: () => 'qqq', must: 150 },
  '2 characters, in all': { term: () => 'ex', must: 600 },
  '2 characters, in some': { term: () => 'ab', must: 600 },
  '2 characters, nowhere': { term: () => 'qq', must: 600 },
  '1 character, in all': { term: () => 'e', must: 600 },
  '1 character, nowhere': { term: () => 'q', must: 600 },
};
/** A search that may exceed the statement timeout in the largest account. */
const SHORT_SEARCH = /^search: [12] character/;

const MILLION = 1_000_000;
const LARGEST = 5 * MILLION;
/** The disk space that the largest account needs while it is filled. */
const LARGEST_NEEDS_BYTES = 12e9;
/** Blocks of a page: 40 and one for each of its rows. */
const MOST_BLOCKS = 65;

/**
 * Measures lists and searches in one database with accounts of many sizes and, if the disk has room, in one with a single
 * account of 5 million websites.
 */
export async function measureSizes(run: Run): Promise<void> {
  const { database, isFull, progress } = run;
  await measureDatabase(run, isFull ? [1_000, 100_000, MILLION] : [1_000, 10_000], isFull ? 1_000 : 10);
  if (!isFull) return;
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < LARGEST_NEEDS_BYTES) {
    return progress(`An account of 5,000,000 websites needs 12 GB in ${tmpdir()}.`);
  }
  await rowsOf(database.url, 'truncate account cascade');
  await measureDatabase(run, [LARGEST], 0);
}

/** Fills one database with accounts of these sizes and `many` of 1,000 websites, and measures each, and one of the many. */
async function measureDatabase(run: Run, sizes: readonly number[], many: number): Promise<void> {
  const { database, figures, open, progress } = run;
  const accounts = new Map<string, { readonly account: FilledAccount; readonly size: number }>();
  await withoutSearchIndex(database.url, async () => {
    for (const size of sizes) {
      const name = `account of ${size.toLocaleString('en')}`;
      accounts.set(name, { account: await fillAccount(database.url, name, size, progress), size });
    }
    if (many > 0) {
      const account = await fillManyAccounts(database.url, many, 1_000, progress);
      accounts.set(`one of ${many.toLocaleString('en')} accounts`, { account, size: 1_000 });
    }
  });
  await settle(database.url);
  const server = await open(startHitherto({ DATABASE_URL: database.url }));
  for (const [name, { account, size }] of accounts) {
    const isOneOfMany = name.startsWith('one of');
    const time = async (request: string, next: () => string, must?: Target) => {
      const accepts503 = size === LARGEST && SHORT_SEARCH.test(request);
      const { times, unavailable } = await timeRequests(server, next, { accepts503 });
      const target = isOneOfMany ? atMost(5) : size === MILLION ? must : undefined;
      figures.times(`${name}: ${request}`, times, { 50: target, 99: undefined });
      if (unavailable > 0) figures.add(`${name}: ${request}: 503`, `of ${times.length}`, [unavailable]);
      return medianOf(times);
    };
    await timeAccount(account, size, time);
    if (!isOneOfMany) await measurePages(run, name, account, size, time);
    else for (const write of ['create', 'update'] as const) await time(write, operationsOn(account)[write]);
  }
  figures.add(`database with ${[...accounts.keys()].join(', ')}`, 'MB', [(await databaseBytes(database.url)) / 1e6]);
}

type Time = (request: string, next: () => string, must?: Target) => Promise<number>;

function pageOf({ key }: FilledAccount, query: string): () => string {
  return () => requestOf('GET', `/api/v1/websites?per_page=25${query}`, { authorization: `Bearer ${key}` });
}

async function timeAccount(account: FilledAccount, size: number, time: Time): Promise<void> {
  await time('show', operationsOn(account).show);
  for (const [name, { term, must }] of Object.entries(SEARCHES)) {
    await time(`search: ${name}`, pageOf(account, `&sort=asc&search=${encodeURIComponent(term(size))}`), atMost(must));
  }
}

/** Pages at the beginning and at 90 % of the list: their times, and the blocks that PostgreSQL reads. */
async function measurePages(
  { database: { url }, figures }: Run,
  name: string,
  account: FilledAccount,
  size: number,
  time: Time,
): Promise<void> {
  const place = Math.floor(size * 0.9);
  const position = await positionAt(url, account.id, 'id desc', place);
  const cursor = encodeCursor(account.id, { order: 'newest_first' }, position);
  const first = await time('first page', pageOf(account, ''));
  const far = await time('page at 90 %', pageOf(account, `&cursor=${cursor}`));
  const target = size === MILLION ? atMost(2, 1.2) : undefined;
  figures.ratio(`${name}: page at 90 % against the first`, [far], [first], target);
  const cost = await pageCost(url, account.id);
  const farCost = await pageCost(url, account.id, await positionAt(url, account.id, 'address', place));
  const blocks = [cost.pageBuffers, farCost.pageBuffers];
  figures.add(`${name}: blocks of the first page and at 90 %`, '', blocks, atMost(MOST_BLOCKS));
  figures.add(`${name}: blocks of the total`, '', [cost.countBuffers]);
  figures.add(`${name}: the total, capped at 10,000`, 'ms', [cost.countMs], atMost(2));
}

type Order = 'id desc' | 'address';

async function positionAt(url: string, accountId: string, order: Order, place: number): Promise<CursorPosition> {
  const [column] = order.split(' ');
  const text = `select ${column}::text as key from website where account_id = $1 order by ${order} offset $2 limit 1`;
  const [row] = await rowsOf<{ key: string }>(url, text, [accountId, place]);
  return { side: 'after', key: row?.key ?? '' };
}
