import { storableJson } from '@hitherto/domain/base';
import type { AuditEntry, Change } from '@hitherto/domain/changes';
import type { EventOfWebsite } from '@hitherto/domain/webhooks';
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type Placeholders, statement } from './connection/statement.ts';

// The statement of a change also writes the entry of the audit trail and the deliveries to webhooks.

const ENTRY_COLUMNS = columnsOf([
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

/** The parameter of {@link auditing}: the entries, if there are any. */
export function toAudited(...changes: readonly Change[]): { readonly audited: string } {
  return { audited: storableJson(changes.flatMap(({ entry }) => (entry === undefined ? [] : [toEntryRow(entry)]))) };
}

/**
 * A statement that writes, and in the same transaction notes the entry of the audit trail, if it writes anything. It counts the
 * rows that are written.
 *
 * @param written inserts, updates or deletes, without `returning`
 * @param audited as {@link toAudited} makes it
 * @param before tables of the `with` clause that `written` uses
 * @param deliverable events for webhooks, as `toDeliverable` makes them, which are recorded with the entry
 */
export function auditing(
  written: RawBuilder<unknown>,
  audited: RawBuilder<string>,
  before = sql``,
  deliverable?: RawBuilder<string>,
): RawBuilder<unknown> {
  const isWritten = sql`exists (select from written)`;
  const tell =
    deliverable === undefined ? sql`` : sql`, deliverable as (${delivering(eventsIn(deliverable), isWritten)})`;
  return sql`
    with ${before} written as (${written} returning 1), audited as (
      insert into audit_entry (${ENTRY_COLUMNS})
      select ${ENTRY_COLUMNS} from json_populate_recordset(null::audit_entry, ${audited}::json)
      where ${isWritten}
    )${tell}
    select 1 from written`;
}

/** Notes entries of the audit trail about what no statement of {@link auditing} writes. */
export const insertEntries = statement(
  'insert_audit_entries',
  (p: Placeholders<{ audited: string }>) => sql`
    insert into audit_entry (${ENTRY_COLUMNS})
    select ${ENTRY_COLUMNS} from json_populate_recordset(null::audit_entry, ${p('audited')}::json)`,
);

function toEntryRow(entry: AuditEntry): object {
  return {
    id: entry.id,
    account_id: entry.accountId,
    website_id: entry.websiteId,
    at: entry.at,
    action: entry.action,
    actor: entry.actor,
    request_id: entry.requestId,
    network: entry.network,
    subject: entry.subject,
    changes: entry.changes,
  };
}

/** The parameter of {@link eventsIn}: the events, if there are any. */
export function toDeliverable(...events: readonly (EventOfWebsite | undefined)[]): { readonly deliverable: string } {
  return { deliverable: storableJson(events.flatMap((event) => (event === undefined ? [] : [toEventRow(event)]))) };
}

/** The rows of events, as {@link toDeliverable} makes them. */
export function eventsIn(deliverable: RawBuilder<string>): RawBuilder<unknown> {
  return sql`json_to_recordset(${deliverable}::json)
    as event (account_id uuid, website_id uuid, type text, at timestamptz, data json)`;
}

/**
 * Inserts a delivery of each event for each active webhook that asks for it.
 *
 * @param events a table named `event`, with the columns of {@link eventsIn}
 * @param condition whether the events happened
 */
export function delivering(events: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into webhook_delivery (id, webhook_id, website_id, type, at, data, due_at)
    select gen_random_uuid(), webhook.id, event.website_id, event.type, event.at, event.data, event.at
    from ${events} join webhook on webhook.account_id = event.account_id and webhook.is_active
      and event.type = any(webhook.events)
      and (webhook.website_ids is null or event.website_id = any(webhook.website_ids))
    where ${condition} for key share of webhook`;
}

function toEventRow({ accountId, websiteId, type, at, data }: EventOfWebsite): object {
  return { account_id: accountId, website_id: websiteId, type, at, data };
}
