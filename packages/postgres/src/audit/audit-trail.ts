import { isId } from '@hitherto/domain/base';
import type { AuditEntry } from '@hitherto/domain/changes';
import { type AuditTrail, MAX_AUDIT_BYTES } from '@hitherto/domain/records';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../connection/database.ts';
import { type Placeholders, statement } from '../connection/statement.ts';

const ENTRY = sql`
  id, account_id as "accountId", website_id as "websiteId", at, action, actor, request_id as "requestId", network, subject,
  changes`;

interface ListParameters {
  readonly accountId: string;
  /** `null` for all. */
  readonly websiteIds: readonly string[] | null;
  readonly websiteId: string | null;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly afterAt: Date | null;
  readonly afterId: string | null;
  readonly limit: number;
}

const matching = (p: Placeholders<ListParameters>) => sql`
  account_id = ${p('accountId')}
  and (${p('websiteIds')}::uuid[] is null or website_id = any(${p('websiteIds')}::uuid[]))
  and (${p('websiteId')}::uuid is null or website_id = ${p('websiteId')}::uuid)
  and at >= coalesce(${p('from')}::timestamptz, '-infinity')
  and at < coalesce(${p('until')}::timestamptz, 'infinity')`;

/**
 * A page, each row with the number of entries found, which is one more if there are more. Reads entry by entry, because only their
 * changes themselves say how long they are. Unnamed for entries of all websites, because its best plan depends on the parameters.
 */
const listEntries = statement(undefined, (p: Placeholders<ListParameters>) => {
  const newest = sql`order by at desc, id desc limit 1`;
  const fits = sql`place <= ${p('limit')} and (place = 1 or bytes <= ${sql.lit(MAX_AUDIT_BYTES)})`;
  return sql<AuditEntry & { found: number }>`
    with recursive page as (
      (
        select audit_entry.*, 1 as place, octet_length(changes::text) as bytes from audit_entry
        where ${matching(p)}
          and (${p('afterId')}::uuid is null or (at, id) < (${p('afterAt')}::timestamptz, ${p('afterId')}::uuid))
        ${newest}
      )
      union all
      select next.*, place + 1, bytes + octet_length(next.changes::text) from page cross join lateral (
        select * from audit_entry where ${matching(p)} and (at, id) < (page.at, page.id) ${newest}
      ) next
      where ${fits}
    ), counted as (select *, (count(*) over ())::integer as found from page)
    select ${ENTRY}, found from counted where ${fits} order by place`;
});

const findEntry = statement(
  'find_audit_entry',
  (
    p: Placeholders<{ accountId: string; websiteIds: readonly string[] | null; id: string }>,
  ): RawBuilder<AuditEntry> => sql<AuditEntry>`
    select ${ENTRY} from audit_entry where account_id = ${p('accountId')} and id = ${p('id')}
    and (${p('websiteIds')}::uuid[] is null or website_id = any(${p('websiteIds')}::uuid[]))`,
);

const deleteEntries = statement(
  'delete_audit_entries',
  (p: Placeholders<{ time: Date }>) => sql`delete from audit_entry where at < ${p('time')}::timestamptz`,
);

const NOTHING = { entries: [], hasMore: false };

/** Reads the audit trail in PostgreSQL. Long statements run on `background`. */
export function createAuditTrail(database: Database, background: Database): AuditTrail {
  return {
    async list({ accountId, websiteIds }, { websiteId, from, until }, limit, after) {
      if (!isId(accountId) || (websiteId !== undefined && !isId(websiteId))) return NOTHING;
      if (after !== undefined && !isId(after.id)) return NOTHING;
      const { rows } = await database.query(
        listEntries.with({
          accountId,
          websiteIds,
          websiteId: websiteId ?? null,
          from: from ?? null,
          until: until ?? null,
          afterAt: after?.at ?? null,
          afterId: after?.id ?? null,
          limit,
        }),
      );
      const entries = rows.map(({ found: _, ...entry }) => entry);
      return { entries, hasMore: entries.length < (rows[0]?.found ?? 0) };
    },

    async find({ accountId, websiteIds }, id) {
      if (!isId(accountId) || !isId(id)) return undefined;
      const { rows } = await database.query(findEntry.with({ accountId, websiteIds, id }));
      return rows[0];
    },

    async deleteBefore(time) {
      return (await background.query(deleteEntries.with({ time }))).count;
    },
  };
}
