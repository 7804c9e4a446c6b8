import type { EventOfWebsite } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';

/** The parameter of {@link eventsIn}: the event, if there is one. */
export function toTold(event: EventOfWebsite | undefined): { readonly told: string } {
  return { told: JSON.stringify(event === undefined ? [] : [toRow(event)]) };
}

/** The rows of events, as {@link toTold} makes them. */
export function eventsIn(told: RawBuilder<string>): RawBuilder<unknown> {
  return sql`json_to_recordset(${told}::json)
    as event (account_id uuid, website_id uuid, type text, at timestamptz, data json)`;
}

/**
 * Inserts a delivery of each event for each active webhook that asks for it.
 *
 * @param events a table named `event`, with the columns of {@link eventsIn}
 * @param condition whether the events happened
 */
export function telling(events: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into webhook_delivery (id, webhook_id, website_id, type, at, data, due_at)
    select gen_random_uuid(), webhook.id, event.website_id, event.type, event.at, event.data, event.at
    from ${events} join webhook on webhook.account_id = event.account_id and webhook.is_active
      and event.type = any(webhook.events)
      and (webhook.website_ids is null or event.website_id = any(webhook.website_ids))
    where ${condition}`;
}

function toRow({ accountId, websiteId, type, at, data }: EventOfWebsite): object {
  return { account_id: accountId, website_id: websiteId, type, at, data };
}
