import type { DeletedWebsites } from '@hitherto/domain/websites';
import { sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { once } from '../connection/statement.ts';

/** When a website is due again: an instance may still have been adding hits. */
const GRACE = sql`interval '1 hour'`;

/** Stores the numbers of deleted websites in PostgreSQL; a trigger adds them. */
export function createDeletedWebsites(database: Database): DeletedWebsites {
  return {
    async findDue() {
      const { rows } = await database.query(
        once(sql<{ id: string }>`
          select id from deleted_website where not is_purged or deleted_at < now() - ${GRACE} limit 1`),
      );
      return rows[0]?.id;
    },

    async confirm(id) {
      await database.transaction(async (transaction) => {
        await transaction.query(
          once(sql`delete from deleted_website where id = ${id} and is_purged and deleted_at < now() - ${GRACE}`),
        );
        await transaction.query(
          once(sql`update deleted_website set is_purged = true where id = ${id} and not is_purged`),
        );
      });
    },
  };
}
