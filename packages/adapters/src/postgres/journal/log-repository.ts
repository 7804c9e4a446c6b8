import type { LogCheckpoint, LogRepository } from '@hitherto/domain';
import { sql } from 'kysely';
import { isId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';
import { addCrawled } from './crawler-sums.ts';
import { addDropped, addHits } from './hit-writer.ts';

/** Keeps how far logs have been read in PostgreSQL. */
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

    async hasRead(websiteId) {
      if (!isId(websiteId)) return false;
      const { rows } = await database.query(
        once(sql<{ found: boolean }>`
          select exists (
            select from log_checkpoint join website on website.number = website_number where website.id = ${websiteId}
          ) as found`),
      );
      return rows[0]?.found === true;
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
                select number, ${log}, ${next} from website where id = ${websiteId} on conflict do nothing`
              : sql`
                update log_checkpoint set checkpoint = ${next}
                where website_number = (select number from website where id = ${websiteId}) and log = ${log}
                  and checkpoint = ${JSON.stringify(from)}`,
          ),
        );
        if (count === 0) return false;
        if (hits.length > 0) await addHits(transaction, hits);
        await addDropped(transaction, dropped);
        await addCrawled(transaction, crawled);
        return true;
      });
    },
  };
}

/** Only `add` has written it. */
function parse(checkpoint: string): LogCheckpoint {
  return JSON.parse(checkpoint);
}
