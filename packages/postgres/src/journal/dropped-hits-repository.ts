import { isId } from '@hitherto/domain/base';
import { DROP_REASONS, type DroppedHitsRepository, type DropReason } from '@hitherto/domain/hits';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

/** The counters of dropped hits in PostgreSQL. */
export function createDroppedHitsRepository(database: Database): DroppedHitsRepository {
  return {
    async byReason(websiteId, from, to) {
      if (!isId(websiteId)) return [];
      return database.read(
        once(sql<{ reason: DropReason; hits: number }>`
          select reason, sum(hits)::double precision as hits from dropped_hit
          where website_number = (select number from website where id = ${websiteId})
            and day between ${from}::date and ${to}::date and reason = any(${DROP_REASONS})
          group by reason order by sum(hits) desc, reason`),
      );
    },

    async deleteAll(websiteId) {
      if (!isId(websiteId)) return;
      await database.query(
        once(sql`
          delete from dropped_hit
          where website_number in (select number from deleted_website where id = ${websiteId})`),
      );
    },
  };
}
