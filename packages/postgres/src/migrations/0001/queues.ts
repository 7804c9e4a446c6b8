import { sql } from 'kysely';

export const queues = [
  // The mails about a website that a member has turned on: reports of each kind since when, and alerts.
  sql`
    create table mail_subscription (
      account_id uuid not null,
      person_id uuid not null,
      website_number bigint not null references website (number) on delete cascade,
      weekly_since timestamptz(3),
      monthly_since timestamptz(3),
      alerts boolean not null,
      primary key (person_id, website_number),
      foreign key (account_id, person_id) references member on delete cascade
    )`,
  sql`create index mail_subscription_by_website on mail_subscription (website_number)`,
  sql`create index mail_subscription_by_member on mail_subscription (account_id, person_id)`,
  // Work that must be done at least once. What waits is tried at `due_at`, which a claim moves to the end of its lease. Each kind
  // has its own keys, which sort by time. A task about a person has no website.
  sql`
    create table task (
      website_number bigint references website (number) on delete cascade,
      due_at timestamptz(3) not null,
      failed_at timestamptz(3),
      failures integer not null,
      key text collate "C" not null constraint task_key check (octet_length(key) <= 128),
      state text collate "C" not null constraint task_state check (octet_length(state) <= 16),
      detail text check (octet_length(detail) <= 2000),
      kind text collate "C" not null check (octet_length(kind) <= 16),
      payload json,
      -- The token of a link, encrypted under SECRET_KEY; null once the task is done or abandoned.
      sealed_token bytea,
      constraint task_name unique nulls not distinct (website_number, kind, key)
    )`,
  sql`create index task_due on task (kind, due_at) where state = 'waiting'`,
  // A delivery is about a website that may be gone, so that `website_id` refers to nothing; it is null in tests.
  sql`
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
    )`,
  sql`create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending'`,
  sql`create index webhook_delivery_waiting on webhook_delivery (webhook_id, website_id, number) where state = 'pending'`,
  sql`create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, number)`,
  sql`create index webhook_delivery_by_time on webhook_delivery (at)`,
  // Who changed what. Entries of a deleted website stay, so that `website_id` refers to nothing. `json` keeps the order of members.
  sql`
    create table audit_entry (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      website_id uuid,
      at timestamptz(3) not null,
      action text collate "C" not null check (octet_length(action) <= 64),
      actor json not null,
      request_id text check (octet_length(request_id) <= 1000),
      network text check (octet_length(network) <= 64),
      subject json not null,
      changes json not null
    )`,
  sql`create index audit_entry_of_account on audit_entry (account_id, at, id)`,
  sql`create index audit_entry_of_website on audit_entry (account_id, website_id, at, id)`,
  sql`create index audit_entry_by_time on audit_entry (at)`,
];
