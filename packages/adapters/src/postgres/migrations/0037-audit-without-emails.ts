import { type Kysely, sql } from 'kysely';

/** Removes the e-mail addresses of accounts from the audit trail, which says only that they were set, changed or removed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update audit_entry set changes = (
      select json_agg(
        case when change ->> 'field' = 'email' and change ->> 'change' is null then json_build_object(
          'field', 'email',
          'change', case
            when change ->> 'before' is null then 'set'
            when change ->> 'after' is null then 'removed'
            else 'changed'
          end
        ) else change end order by place
      )
      from json_array_elements(changes) with ordinality changed (change, place)
    )
    where action in ('account.created', 'account.updated') and json_array_length(changes) > 0`.execute(db);
}
