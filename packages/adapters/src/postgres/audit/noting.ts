import type { AuditEntry } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { storableString } from '../../strings.ts';
import { columnsOf } from '../connection/statement.ts';
import { eventsIn, telling } from '../webhooks/telling.ts';

const COLUMNS = columnsOf([
  'id',
  'account_id',
  'website_id',
  'at',
  'action',
  'actor',
  'request_id',
  'network',
  'subject',
  'changes',
]);

/** The parameter of {@link noting}: the entry, if there is one. */
export function toNoted(entry: AuditEntry | undefined): { readonly noted: string } {
  return { noted: JSON.stringify(entry === undefined ? [] : [toRow(entry)]) };
}

/**
 * A statement that writes, and in the same transaction notes the entry of the audit trail, if it writes anything. It counts the
 * rows that are written.
 *
 * @param written inserts, updates or deletes, without `returning`
 * @param noted as {@link toNoted} makes it
 * @param before tables of the `with` clause that `written` uses
 * @param told events for webhooks, as `toTold` makes them, which are recorded with the entry
 */
export function noting(
  written: RawBuilder<unknown>,
  noted: RawBuilder<string>,
  before = sql``,
  told?: RawBuilder<string>,
): RawBuilder<unknown> {
  const isWritten = sql`exists (select from written)`;
  const tell = told === undefined ? sql`` : sql`, told as (${telling(eventsIn(told), isWritten)})`;
  return sql`
    with ${before} written as (${written} returning 1), noted as (
      insert into audit_entry (${COLUMNS})
      select ${COLUMNS} from json_populate_recordset(null::audit_entry, ${noted}::json)
      where ${isWritten}
    )${tell}
    select 1 from written`;
}

function toRow(entry: AuditEntry): object {
  return {
    id: entry.id,
    account_id: entry.accountId,
    website_id: entry.websiteId,
    at: entry.at,
    action: entry.action,
    actor: entry.actor,
    request_id: entry.requestId === null ? null : storableString(entry.requestId),
    network: entry.network,
    subject: entry.subject,
    changes: entry.changes,
  };
}
