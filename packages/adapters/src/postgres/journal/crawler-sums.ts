import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlerHits, isUnavailable, type Log, RETRY_MS } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId, newId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { codeOf } from '../connection/errors.ts';
import { once } from '../connection/statement.ts';
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
  /** Writes the rest. Gives up at once if the database is away. */
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
    onFailure: (error) => log('warn', 'Sums of crawlers were lost', { code: codeOf(error) }),
  });

  return {
    add({ operator, purpose, page, ...sums }) {
      if (!isId(sums.websiteId)) return;
      tally.add({ ...sums, list: LISTS.operator, value: operator, purpose });
      tally.add({ ...sums, list: LISTS.page, value: page, purpose: '' });
    },

    close() {
      isClosing = true;
      return tally.close();
    },
  };
}

/** Adds to the sums, once for each batch. Rows are written in a fixed order, so that two statements never deadlock. */
async function addSums(database: Database, batchId: string, sums: readonly CrawlerSum[]): Promise<void> {
  await database.query(
    once(sql`
      with batch as (
        insert into ingest_batch (id, added_at) values (${batchId}, now()) on conflict (id) do nothing returning id
      )
      insert into crawler_hit (website_number, day, list, value, purpose, hits, hits_4xx)
      select website.number, added.day, added.list, added.value, added.purpose, sum(added.hits), sum(added.hits_4xx)
      from unnest(
        ${sums.map(({ websiteId }) => websiteId)}::uuid[],
        ${sums.map(({ day }) => day)}::date[],
        ${sums.map(({ list }) => list)}::smallint[],
        ${sums.map(({ value }) => value)}::text[],
        ${sums.map(({ purpose }) => purpose)}::text[],
        ${sums.map(({ hits }) => hits)}::bigint[],
        ${sums.map(({ hits4xx }) => hits4xx)}::bigint[]
      ) added (website_id, day, list, value, purpose, hits, hits_4xx)
      join website on website.id = added.website_id join batch on true
      group by website.number, added.day, added.list, added.value, added.purpose
      order by website.number, added.day, added.list, added.value, added.purpose
      on conflict (website_number, day, list, value, purpose)
        do update set hits = crawler_hit.hits + excluded.hits, hits_4xx = crawler_hit.hits_4xx + excluded.hits_4xx`),
  );
}
