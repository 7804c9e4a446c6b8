import { isId } from '@hitherto/domain/base';
import type { Day } from '@hitherto/domain/calendar';
import type { CountedHit } from '@hitherto/domain/hits';
import type { LogCheckpoint, LogRepository } from '@hitherto/domain/imports';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { addCrawled } from './crawler-sums.ts';
import { addDropped, addHits } from './hit-writer.ts';

/** Stores how far logs have been read in PostgreSQL. */
export function createLogRepository(database: Database): LogRepository {
  return {
    async checkpoint(websiteId, log) {
      if (!isId(websiteId)) return undefined;
      const { rows } = await database.query(
        once(sql<{ checkpoint: string }>`
          select checkpoint from log_checkpoint join website on website.number = website_number
          where website.id = ${websiteId} and log = ${log}`),
      );
      return rows[0] && parse(rows[0].checkpoint);
    },

    async checkpoints(websiteId) {
      if (!isId(websiteId)) return new Map();
      const { rows } = await database.query(
        once(sql<{ log: string; checkpoint: string }>`
          select log, checkpoint from log_checkpoint join website on website.number = website_number
          where website.id = ${websiteId} order by log`),
      );
      return new Map(rows.map(({ log, checkpoint }) => [log, parse(checkpoint)]));
    },

    async followedDays(websiteId) {
      if (!isId(websiteId)) return [];
      const { rows } = await database.query(
        once(sql<{ day: Day }>`
          select day::text as day from followed_day join website on website.number = website_number
          where website.id = ${websiteId} order by followed_day.day`),
      );
      return rows.map(({ day }) => day);
    },

    async add({ websiteId, log, from, to, hits, dropped, crawled }) {
      if (!isId(websiteId)) return false;
      const next = JSON.stringify(to);
      return database.transaction(async (transaction) => {
        // The row stays locked until the end, so one of two batches from the same place waits, and then fails.
        const { count } = await transaction.query(
          once(
            from === undefined
              ? sql`
                insert into log_checkpoint (website_number, log, checkpoint)
                select number, ${log}, ${next} from website where id = ${websiteId} for key share
                on conflict do nothing`
              : sql`
                update log_checkpoint set checkpoint = ${next}
                where website_number = (select number from website where id = ${websiteId}) and log = ${log}
                  and checkpoint = ${JSON.stringify(from)}`,
          ),
        );
        if (count === 0) return false;
        if (hits.length > 0) {
          await addHits(transaction, hits);
          await addFollowedDays(transaction, websiteId, hits);
        }
        await addDropped(transaction, dropped);
        await addCrawled(transaction, crawled);
        return true;
      });
    },
  };
}

/** In their order, so that two logs of a website do not wait for each other in turn. */
async function addFollowedDays(
  transaction: Transaction,
  websiteId: string,
  hits: readonly CountedHit[],
): Promise<void> {
  const days = [...new Set(hits.map(({ day }) => day))];
  await transaction.query(
    once(sql`
      insert into followed_day (website_number, day)
      select number, day from website cross join unnest(${days}::date[]) as day
      where id = ${websiteId} order by day for key share of website on conflict do nothing`),
  );
}

/** Only `add` has written it. */
function parse(checkpoint: string): LogCheckpoint {
  return JSON.parse(checkpoint);
}
