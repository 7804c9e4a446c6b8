import { type Kysely, sql } from 'kysely';

/**
 * Webhooks and their deliveries. URLs and secrets are encrypted by the program. A delivery is about a website that may be gone,
 * so that `website_id` refers to nothing; it is null in tests. `number` is the order of deliveries.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook (
      number bigint generated always as identity unique,
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      format text collate "C" not null check (octet_length(format) <= 16),
      sealed_url bytea not null check (octet_length(sealed_url) <= 4096),
      sealed_secret bytea check (octet_length(sealed_secret) <= 256),
      events text[] not null,
      website_ids uuid[],
      is_active boolean not null,
      failing_since timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`.execute(db);
  await sql`create index webhook_of_account on webhook (account_id)`.execute(db);
  await sql`
    create table webhook_delivery (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      webhook_id uuid not null references webhook on delete cascade,
      website_id uuid,
      type text collate "C" not null check (octet_length(type) <= 32),
      at timestamptz(3) not null,
      data json not null,
      state text collate "C" not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
      attempts integer not null default 0,
      response_code integer,
      error text check (octet_length(error) <= 2000),
      attempted_at timestamptz(3),
      due_at timestamptz(3) not null,
      leased_until timestamptz(3)
    )`.execute(db);
  await sql`create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`.execute(db);
  await sql`
    create index webhook_delivery_waiting on webhook_delivery (webhook_id, website_id, number) where state = 'pending'
  `.execute(db);
  await sql`create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, number)`.execute(db);
  await sql`create index webhook_delivery_by_time on webhook_delivery (at)`.execute(db);
}
