import { sql } from 'kysely';

/** The first and the last migration of the schemas before the first release, which one migration has replaced. */
const FIRST = '0001-accounts-keys-websites';
const LAST = '0035-readable-counts';

/** Whether these migrations are of a version before the first release. */
export function isBeforeRelease(executed: readonly string[]): boolean {
  return executed.includes(FIRST);
}

/** Whether they are of the last such version: its backups can be restored. */
export function isLastBeforeRelease(executed: readonly string[]): boolean {
  return isBeforeRelease(executed) && executed.at(-1) === LAST;
}

const TABLES_OF_KINDS = ['visit', 'website_day'].map((name) => sql.table(name));

/** Adds the columns that backups of that version have, and this schema has not. */
export const BEFORE_ROWS = TABLES_OF_KINDS.map((table) => sql`alter table ${table} add column newest_kind smallint`);

/** Removes these columns, and the e-mail addresses that the audit trail of that version has. */
export const AFTER_ROWS = [
  ...TABLES_OF_KINDS.map((table) => sql`alter table ${table} drop column newest_kind`),
  sql`
    update audit_entry set changes = (
      select json_agg(
        case when change ->> 'field' = 'email' then json_build_object(
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
    where action in ('account.created', 'account.updated') and json_array_length(changes) > 0`,
];
