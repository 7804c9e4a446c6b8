import type { AuditEntry, AuditTrail } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { isId } from '../../system.ts';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

const ENTRY = sql`
  id, account_id as "accountId", website_id as "websiteId", at, action, actor, request_id as "requestId", network, subject,
  changes`;

interface ListParameters {
  readonly accountId: string;
  readonly websiteId: string | null;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly afterAt: Date | null;
  readonly afterId: string | null;
  readonly limit: number;
}

/** Unnamed for entries of all websites, because its best plan depends on the parameters. */
const listEntries = statement(
  undefined,
  (p: Placeholders<ListParameters>): RawBuilder<AuditEntry> => sql<AuditEntry>`
    select ${ENTRY} from audit_entry
    where account_id = ${p('accountId')}
      and (${p('websiteId')}::uuid is null or website_id = ${p('websiteId')}::uuid)
      and at >= coalesce(${p('from')}::timestamptz, '-infinity')
      and at < coalesce(${p('until')}::timestamptz, 'infinity')
      and (${p('afterId')}::uuid is null or (at, id) < (${p('afterAt')}::timestamptz, ${p('afterId')}::uuid))
    order by at desc, id desc limit ${p('limit')}`,
);

const findEntry = statement(
  'find_audit_entry',
  (p: Placeholders<{ accountId: string; id: string }>): RawBuilder<AuditEntry> => sql<AuditEntry>`
    select ${ENTRY} from audit_entry where account_id = ${p('accountId')} and id = ${p('id')}`,
);

const deleteEntries = statement(
  'delete_audit_entries',
  (p: Placeholders<{ time: Date }>) => sql`delete from audit_entry where at < ${p('time')}::timestamptz`,
);

/** Reads the audit trail in PostgreSQL. Long statements run on `background`. */
export function createAuditTrail(database: Database, background: Database): AuditTrail {
  return {
    async list(accountId, { websiteId, from, until }, limit, after) {
      if (!isId(accountId) || (websiteId !== undefined && !isId(websiteId))) return [];
      if (after !== undefined && !isId(after.id)) return [];
      const { rows } = await database.query(
        listEntries.with({
          accountId,
          websiteId: websiteId ?? null,
          from: from ?? null,
          until: until ?? null,
          afterAt: after?.at ?? null,
          afterId: after?.id ?? null,
          limit,
        }),
      );
      return rows;
    },

    async find(accountId, id) {
      if (!isId(accountId) || !isId(id)) return undefined;
      const { rows } = await database.query(findEntry.with({ accountId, id }));
      return rows[0];
    },

    async deleteBefore(time) {
      return (await background.query(deleteEntries.with({ time }))).count;
    },
  };
}
