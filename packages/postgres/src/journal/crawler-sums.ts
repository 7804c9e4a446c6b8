import { setTimeout as sleep } from 'node:timers/promises';
import { isId, isUnavailable, type Log, RETRY_MS } from '@hitherto/domain/base';
import type { CrawlerHits } from '@hitherto/domain/hits';
import { type RawBuilder, sql } from 'kysely';
import { v7 as newId } from 'uuid';
import type { Database } from '../connection/database.ts';
import { errorCodeOf } from '../connection/errors.ts';
import { cte, once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { recordedId } from './hit-writer.ts';
import { createTally } from './tally.ts';

/** The numbers of the lists in the table; purposes are summed up from operators. */
export const LISTS = { operator: 1, page: 2 } as const;

/** A row of the table; a page has an empty purpose. */
interface CrawlerSum {
  readonly websiteId: string;
  readonly day: string;
  readonly list: number;
  readonly value: string;
  readonly purpose: string;
  readonly hits: number;
  readonly hits4xx: number;
}

/** Adds up the hits of bots, and writes the sums in the background. */
export interface CrawlerTally {
  add(crawled: CrawlerHits): void;
  /** Writes the rest. Gives up immediately if the database is unreachable. */
  close(): Promise<void>;
}

export function createCrawlerTally(database: Database, log: Log): CrawlerTally {
  let isClosing = false;

  /** A batch with an unknown outcome is written again under its id, and counts once. */
  async function write(sums: readonly CrawlerSum[]): Promise<void> {
    const batchId = newId();
    for (;;) {
      try {
        return await addSums(database, batchId, sums);
      } catch (error) {
        if (!isUnavailable(error) || isClosing) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  const tally = createTally<CrawlerSum>({
    keyOf: ({ websiteId, day, list, purpose, value }) => `${websiteId} ${day} ${list} ${purpose} ${value}`,
    sum: (one, other) => ({ ...one, hits: one.hits + other.hits, hits4xx: one.hits4xx + other.hits4xx }),
    write,
    onFailure: (error) => log('warn', 'Sums of crawlers were lost', { code: errorCodeOf(error) }),
  });

  return {
    add(crawled) {
      if (isId(crawled.websiteId)) for (const sum of sumsOf(crawled)) tally.add(sum);
    },

    close() {
      isClosing = true;
      return tally.close();
    },
  };
}

function sumsOf({ operator, purpose, page, ...sums }: CrawlerHits): CrawlerSum[] {
  return [
    { ...sums, list: LISTS.operator, value: operator, purpose },
    { ...sums, list: LISTS.page, value: page, purpose: '' },
  ];
}

/** Adds hits of bots to the sums, within a transaction. */
export async function addCrawled(transaction: Transaction, crawled: readonly CrawlerHits[]): Promise<void> {
  const known = crawled.filter(({ websiteId }) => isId(websiteId));
  if (known.length > 0) await transaction.query(once(insertSums(known.flatMap(sumsOf), sql`select`)));
}

/** Adds hits of bots to the sums of an import of their website, within a transaction. */
export async function addImportedCrawlers(
  transaction: Transaction,
  { number, websiteNumber }: { readonly number: string; readonly websiteNumber: string },
  crawled: readonly CrawlerHits[],
): Promise<void> {
  const sums = crawled.flatMap(sumsOf);
  await transaction.query(
    once(sql`
      insert into import_crawler_hit (import_number, website_number, day, list, value, purpose, hits, hits_4xx)
      select ${number}::bigint, ${websiteNumber}::bigint, day, list, value, purpose, sum(hits), sum(hits_4xx)
      from ${tableOf(sums)} group by day, list, value, purpose
      on conflict (website_number, day, list, value, purpose, import_number) do update
        set hits = import_crawler_hit.hits + excluded.hits, hits_4xx = import_crawler_hit.hits_4xx + excluded.hits_4xx`),
  );
}

/** Adds to the sums, once for each batch. */
async function addSums(database: Database, batchId: string, sums: readonly CrawlerSum[]): Promise<void> {
  await database.query(once(insertSums(sums, sql`select from ${cte('batch', recordedId(batchId))}`)));
}

/**
 * Rows are written in a fixed order, so that two statements never deadlock.
 *
 * @param condition they are written if it has a row
 */
function insertSums(sums: readonly CrawlerSum[], condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
      insert into crawler_hit (website_number, day, list, value, purpose, hits, hits_4xx)
      select website.number, added.day, added.list, added.value, added.purpose, sum(added.hits), sum(added.hits_4xx)
      from ${tableOf(sums)}
      join website on website.id = added.website_id
      where exists (${condition})
      group by website.number, added.day, added.list, added.value, added.purpose
      order by website.number, added.day, added.list, added.value, added.purpose
      on conflict (website_number, day, list, value, purpose)
        do update set hits = crawler_hit.hits + excluded.hits, hits_4xx = crawler_hit.hits_4xx + excluded.hits_4xx`;
}

/** These sums as a table, `added`. */
function tableOf(sums: readonly CrawlerSum[]): RawBuilder<unknown> {
  return sql`
    unnest(
      ${sums.map(({ websiteId }) => websiteId)}::uuid[],
      ${sums.map(({ day }) => day)}::date[],
      ${sums.map(({ list }) => list)}::smallint[],
      ${sums.map(({ value }) => value)}::text[],
      ${sums.map(({ purpose }) => purpose)}::text[],
      ${sums.map(({ hits }) => hits)}::bigint[],
      ${sums.map(({ hits4xx }) => hits4xx)}::bigint[]
    ) added (website_id, day, list, value, purpose, hits, hits_4xx)`;
}
