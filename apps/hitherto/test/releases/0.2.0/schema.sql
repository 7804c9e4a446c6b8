create extension if not exists pg_trgm;

create extension if not exists btree_gin;

create table account (
      id uuid primary key,
      name text collate "C" not null unique check (char_length(name) between 1 and 100),
      created_at timestamptz(3) not null,
      email text collate "C" check (octet_length(email) <= 254),
      email_since timestamptz(3),
      requires_second_factor boolean not null default false,
      -- Of its public pages and mails; null for those of the product.
      brand_name text check (char_length(brand_name) between 1 and 100),
      brand_accent text collate "C" check (octet_length(brand_accent) = 7),
      -- The hash of the logo and its kind.
      logo_name text collate "C" check (octet_length(logo_name) <= 64),
      logo bytea check (octet_length(logo) <= 51200),
      constraint account_email_since check ((email is null) = (email_since is null)),
      constraint account_logo check ((logo is null) = (logo_name is null))
    );

create index account_by_logo on account (logo_name) where logo_name is not null;

create table person (
      id uuid primary key,
      email text not null check (octet_length(email) <= 254),
      -- As it is compared.
      email_key text collate "C" not null constraint person_email_key unique,
      is_verified boolean not null,
      name text not null check (char_length(name) between 1 and 100),
      password_hash text check (octet_length(password_hash) <= 512),
      -- The issuer and the subject at a sign-in provider.
      identity jsonb,
      -- Of pages and mails; null if they have chosen none.
      language text collate "C" check (octet_length(language) <= 8),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    );

create unique index person_identity on person ((identity ->> 'issuer'), (identity ->> 'subject'));

create table member (
      account_id uuid not null references account on delete cascade,
      person_id uuid not null references person on delete cascade,
      role text not null check (role in ('viewer', 'editor', 'owner')),
      -- The only websites that the member has; null for all of the account.
      website_ids uuid[],
      -- Whether a group at the sign-in provider made it.
      is_by_group boolean not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (account_id, person_id),
      constraint member_owns_all check (role <> 'owner' or website_ids is null)
    );

create index member_by_person on member (person_id, account_id);

create table api_key (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      -- To whom it belongs; null for a key of the account.
      person_id uuid,
      -- The only websites that it is for; null for all.
      website_ids uuid[],
      hash text collate "C" not null unique check (octet_length(hash) = 64),
      scope text not null check (scope in ('read', 'write')),
      label text check (char_length(label) between 1 and 100),
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      constraint api_key_of_member foreign key (account_id, person_id) references member on delete cascade
    );

create index api_key_by_account on api_key (account_id, created_at, id);

create index api_key_by_person on api_key (person_id, account_id) where person_id is not null;

create table invitation (
      id uuid primary key,
      account_id uuid not null references account on delete cascade,
      -- Null for the link of the first start.
      email text check (octet_length(email) <= 254),
      email_key text collate "C",
      role text not null check (role in ('viewer', 'editor', 'owner')),
      website_ids uuid[],
      token_hash text collate "C" not null unique check (octet_length(token_hash) = 64),
      is_mailed boolean not null,
      invited_by text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      constraint invitation_of_address unique nulls not distinct (account_id, email_key)
    );

create table person_link (
      token_hash text collate "C" primary key check (octet_length(token_hash) = 64),
      purpose text collate "C" not null check (purpose in ('password', 'sign_in', 'address')),
      person_id uuid references person on delete cascade,
      email text check (octet_length(email) <= 254),
      email_key text collate "C",
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    );

create index person_link_by_person on person_link (person_id);

create index person_link_by_email on person_link (email_key);

create table session (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      key_id uuid references api_key on delete cascade,
      person_id uuid references person on delete cascade,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null,
      last_used_at timestamptz(3) not null,
      browser text check (char_length(browser) <= 100),
      network text check (char_length(network) <= 100),
      constraint session_of check (num_nonnulls(key_id, person_id) = 1)
    );

create index session_by_key on session (key_id);

create index session_by_person on session (person_id);

create index session_by_expiry on session (expires_at);

create table pending_sign_in (
      hash text collate "C" primary key check (octet_length(hash) = 64),
      -- Null where a passkey will say who it is.
      person_id uuid references person on delete cascade,
      session_ms bigint not null,
      tries integer not null default 0,
      expires_at timestamptz(3) not null
    );

create index pending_sign_in_by_person on pending_sign_in (person_id);

create table second_factor (
      person_id uuid primary key references person on delete cascade,
      -- Of the app that makes codes, encrypted under SECRET_KEY.
      sealed_secret bytea not null check (octet_length(sealed_secret) <= 256),
      -- Of the code that was used last: each works once.
      step bigint not null,
      recovery_hashes text[] not null,
      since timestamptz(3) not null
    );

create table passkey (
      id text collate "C" primary key check (octet_length(id) <= 1400),
      person_id uuid not null references second_factor on delete cascade,
      name text not null check (char_length(name) between 1 and 50),
      public_key bytea not null check (octet_length(public_key) <= 4096),
      counter bigint not null,
      created_at timestamptz(3) not null
    );

create index passkey_by_person on passkey (person_id);

create table store_record (
      account_id uuid not null references account on delete cascade,
      key_hash text collate "C" not null check (octet_length(key_hash) <= 128),
      fingerprint text not null check (octet_length(fingerprint) <= 128),
      sealed_website text not null,
      expires_at timestamptz(3) not null,
      primary key (account_id, key_hash)
    );

create index store_record_by_expiry on store_record (expires_at);

create table local_secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    );

create table release (
      number bigint generated always as identity primary key,
      version text collate "C" not null check (octet_length(version) <= 64),
      bots text collate "C" not null check (octet_length(bots) <= 64),
      sources text collate "C" not null check (octet_length(sources) <= 64),
      started_at timestamptz(3) not null
    );

create table secret (
      purpose text collate "C" primary key check (octet_length(purpose) <= 64),
      secret bytea not null check (octet_length(secret) = 32)
    );

create table website (
      account_id uuid not null references account on delete cascade,
      id uuid not null,
      scheme text collate "C" not null check (scheme in ('http', 'https')),
      address text collate "C" not null check (address <> ''),
      search_text text collate "C" check (octet_length(search_text) <= 8192),
      privacy text not null check (privacy in ('public', 'private', 'password')),
      password_hash text check (octet_length(password_hash) <= 512),
      email_reports boolean not null,
      exclude_bots boolean not null,
      engagement boolean not null default false,
      excluded_params text[] not null check (cardinality(excluded_params) <= 1000),
      page_rules text[] not null default '{}' check (cardinality(page_rules) <= 20),
      excluded_ips text[] not null check (cardinality(excluded_ips) <= 1000),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      number bigint generated always as identity unique,
      lock_version integer not null default 0,
      email_since timestamptz(3),
      report text not null default 'weekly' check (report in ('weekly', 'monthly', 'both')),
      time_zone text collate "C" check (octet_length(time_zone) <= 255),
      aliases text[] collate "C" not null,
      embed_origins text[] collate "C" not null,
      label text collate "C" check (char_length(label) <= 64),
      language text collate "C" check (octet_length(language) <= 8),
      address_since timestamptz default now(),
      host_since timestamptz default now(),
      primary key (account_id, id),
      constraint website_address_taken unique (account_id, address),
      constraint website_url_length check (octet_length(scheme) + 3 + octet_length(address) <= 2048),
      constraint website_password_required check (privacy <> 'password' or password_hash is not null),
      -- Hash indexes, which cannot sort: with an index by id in order, the planner would read other accounts' websites for lists.
      constraint website_id_taken exclude using hash (id with =)
    );

create index website_by_address on website using hash (address);

create index website_by_host on website (split_part(address, '/', 1), host_since nulls first, created_at, number);

create index website_with_reports on website (number) where email_reports;

create index website_by_time_zone on website (time_zone) where time_zone is not null;

create index website_by_search_text on website
    using gin ((coalesce(search_text, scheme || '://' || address)) gin_trgm_ops, account_id);

create function count_lock_change() returns trigger language plpgsql as $$ begin
      new.lock_version := old.lock_version + 1;
      return new;
    end $$;

create trigger count_lock_change before update on website for each row
    when (old.privacy is distinct from new.privacy or old.password_hash is distinct from new.password_hash)
    execute function count_lock_change();

create function note_website_names() returns trigger language plpgsql as $$
    declare
      before text := regexp_replace(old.address, '^www\.', '');
      after text := regexp_replace(new.address, '^www\.', '');
    begin
      if before <> after then new.address_since := now(); end if;
      if split_part(before, '/', 1) <> split_part(after, '/', 1) then new.host_since := now(); end if;
      return new;
    end $$;

create trigger note_names before update of address on website for each row
    when (new.address is distinct from old.address) execute function note_website_names();

create function note_email_since() returns trigger language plpgsql as $$ begin
      new.email_since := new.updated_at;
      return new;
    end $$;

create trigger note_email_since_insert before insert on website for each row
    when (new.email_reports) execute function note_email_since();

create trigger note_email_since_update before update on website for each row
    when (new.email_reports and (not old.email_reports or new.report <> old.report)) execute function note_email_since();

create function forget_numbers_by_page() returns trigger language plpgsql as $$
    declare
      kept_from date;
    begin
      perform set_config('lock_timeout', '0', true);
      perform pg_advisory_xact_lock(4847115);
      select hit_retention.kept_from into kept_from from hit_retention;
      delete from day_numbers where website_number = new.number
        and day >= case when is_month then date_trunc('month', kept_from)::date else kept_from end;
      update website_day set hits_in_numbers = 0 where website_number = new.number and day >= kept_from;
      return null;
    end $$;

create trigger forget_numbers_by_page after update of page_rules on website for each row
    when (new.page_rules is distinct from old.page_rules) execute function forget_numbers_by_page();

create table website_alias (
      alias text collate "C" not null check (octet_length(alias) between 1 and 255),
      website_number bigint not null references website (number) on delete cascade,
      since timestamptz default now(),
      constraint website_alias_taken primary key (alias)
    );

create index website_alias_of_website on website_alias (website_number);

create function keep_website_aliases() returns trigger language plpgsql as $$ begin
      delete from website_alias where website_number = new.number and alias <> all (new.aliases);
      insert into website_alias (alias, website_number)
      select given.alias, new.number from unnest(new.aliases) given (alias)
      where not exists (select from website_alias own where own.alias = given.alias and own.website_number = new.number)
      order by given.alias;
      return null;
    end $$;

create trigger keep_aliases_of_new after insert on website for each row
    when (new.aliases <> '{}') execute function keep_website_aliases();

create trigger keep_aliases after update of aliases on website for each row
    when (new.aliases is distinct from old.aliases) execute function keep_website_aliases();

create table deleted_website (
      number bigint primary key,
      id uuid not null,
      deleted_at timestamptz(3) not null,
      is_purged boolean not null default false
    );

create index deleted_website_by_id on deleted_website using hash (id);

create function keep_deleted_websites() returns trigger language plpgsql as $$ begin
      insert into deleted_website (number, id, deleted_at) select number, id, now() from changed;
      return null;
    end $$;

create trigger keep_deleted after delete on website referencing old table as changed
    for each statement execute function keep_deleted_websites();

create function notify_website_changed() returns trigger language plpgsql as $$ begin
      if (select count(*) from (select from changed limit 101) few) > 100 then
        perform pg_notify('website_changed', '');
      else
        perform pg_notify('website_changed', id::text) from changed;
      end if;
      return null;
    end $$;

create trigger notify_updated after update on website referencing new table as changed
    for each statement execute function notify_website_changed();

create trigger notify_deleted after delete on website referencing old table as changed
    for each statement execute function notify_website_changed();

create table definition (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      kind text collate "C" not null check (kind in ('segment', 'goal', 'funnel')),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      content json not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint definition_name_taken unique (website_number, kind, name)
    );

create table shared_link (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      token_hash text collate "C" not null unique check (octet_length(token_hash) = 64),
      name text collate "C" not null check (char_length(name) between 1 and 64),
      segment_id uuid constraint shared_link_segment references definition (id) on delete no action,
      expires_at timestamptz(3),
      password_hash text,
      created_at timestamptz(3) not null
    );

create index shared_link_of_website on shared_link (website_number, number);

create index shared_link_of_segment on shared_link (segment_id) where segment_id is not null;

create table annotation (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      day date not null,
      text text not null check (char_length(text) between 1 and 200),
      is_public boolean not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );

create index annotation_of_website on annotation (website_number, day, number);

create table cleanup (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      name text collate "C" not null check (char_length(name) between 1 and 64),
      content json not null,
      first_day date,
      last_day date,
      status text collate "C" not null check (status in ('applying', 'active', 'undoing', 'erasing')),
      hidden json,
      erased_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      constraint cleanup_name_taken unique (website_number, name)
    );

create index cleanup_waiting on cleanup (number) where status <> 'active';

create table recipient (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      email text not null check (octet_length(email) <= 254),
      email_key text collate "C" not null,
      asked_at timestamptz(3),
      confirmed_at timestamptz(3),
      created_at timestamptz(3) not null,
      constraint recipient_taken unique (website_number, email_key)
    );

create index recipient_to_ask on recipient (email_key, number) where asked_at is null and confirmed_at is null;

create table asked_address (
      email_key text collate "C" primary key,
      at timestamptz(3) not null
    );

create table alert (
      number bigint generated always as identity unique,
      id uuid primary key,
      website_number bigint not null references website (number) on delete cascade,
      rule text collate "C" not null check (octet_length(rule) <= 16),
      threshold integer,
      hours integer,
      percent integer,
      goal_id uuid,
      email boolean not null,
      webhooks boolean not null,
      state json not null,
      checked_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );

create index alert_of_website on alert (website_number);

create index alert_checked on alert (checked_at nulls first);

create table finding (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      rule text collate "C" not null check (octet_length(rule) <= 32),
      subject text collate "C" not null,
      since date not null,
      size double precision not null,
      evidence json not null,
      status text collate "C" not null check (status in ('open', 'fixed', 'dismissed')),
      opened_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    );

create unique index finding_of_website on finding (website_number, rule, md5(subject));

create index finding_open on finding (website_number) where status = 'open';

create index finding_fixed on finding (updated_at) where status = 'fixed';

create table checked_website (
      website_number bigint primary key references website (number) on delete cascade,
      day date not null
    );

create table coverage_report (
      website_number bigint not null references website (number) on delete cascade,
      number bigint generated always as identity unique,
      id uuid primary key,
      coverage json,
      problem json,
      created_at timestamptz(3) not null
    );

create index coverage_report_of_website on coverage_report (website_number, number);

create index coverage_report_created on coverage_report (created_at);

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
    );

create index webhook_of_account on webhook (account_id);

create table mail_subscription (
      account_id uuid not null,
      person_id uuid not null,
      website_number bigint not null references website (number) on delete cascade,
      weekly_since timestamptz(3),
      monthly_since timestamptz(3),
      alerts boolean not null,
      primary key (person_id, website_number),
      foreign key (account_id, person_id) references member on delete cascade
    );

create index mail_subscription_by_website on mail_subscription (website_number);

create index mail_subscription_by_member on mail_subscription (account_id, person_id);

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
    );

create index task_due on task (kind, due_at) where state = 'waiting';

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
    );

create index webhook_delivery_due on webhook_delivery (due_at) where state = 'pending';

create index webhook_delivery_waiting on webhook_delivery (webhook_id, website_id, number) where state = 'pending';

create index webhook_delivery_of_webhook on webhook_delivery (webhook_id, number);

create index webhook_delivery_by_time on webhook_delivery (at);

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
    );

create index audit_entry_of_account on audit_entry (account_id, at, id);

create index audit_entry_of_website on audit_entry (account_id, website_id, at, id);

create index audit_entry_by_time on audit_entry (at);

create table hit_retention (kept_from date not null);

insert into hit_retention values ('0001-01-01');

create table hit_batch (
      key_hash text collate "C" primary key check (octet_length(key_hash) <= 64),
      fingerprint text collate "C" not null check (octet_length(fingerprint) <= 64),
      collected jsonb not null,
      expires_at timestamptz(3) not null
    );

create index hit_batch_by_expiry on hit_batch (expires_at);

create table dropped_hit (
      website_number bigint not null,
      day date not null,
      reason text collate "C" not null check (octet_length(reason) <= 64),
      hits bigint not null,
      primary key (website_number, day, reason)
    );

create table noted_hit (
      website_number bigint not null,
      day date not null,
      kind text collate "C" not null check (octet_length(kind) <= 16),
      value text collate "C" not null check (octet_length(value) <= 1024),
      hits bigint not null,
      primary key (website_number, day, kind, value)
    );

create index noted_hit_by_day on noted_hit (day);

create table crawler_hit (
      website_number bigint not null,
      hits bigint not null,
      hits_4xx bigint not null,
      day date not null,
      list smallint not null,
      purpose text collate "C" not null,
      value text collate "C" not null,
      primary key (website_number, day, list, value, purpose)
    );

create index crawler_hit_by_day on crawler_hit using brin (day) with (autosummarize = on);

create unlogged table salt (
      day date primary key,
      secret bytea not null check (octet_length(secret) = 32)
    );

alter table salt alter column secret set statistics 0;

create table website_day (
      website_number bigint not null,
      hits bigint not null,
      hits_in_numbers bigint not null default 0,
      rewritten_in bigint not null default 0,
      day date not null,
      is_loose boolean not null default false,
      primary key (website_number, day)
    );

create index website_day_to_count on website_day (day) where hits <> hits_in_numbers;

create index website_day_to_join on website_day (day) where is_loose;

create table day_numbers (
      website_number bigint not null,
      day date not null,
      size integer not null,
      kind smallint not null,
      is_month boolean not null,
      keys bytea not null,
      rest bytea not null,
      strings text collate "C" not null,
      primary key (website_number, is_month, day, kind)
    );

create table book (
      website_number bigint not null,
      import_number bigint not null,
      first_time double precision not null,
      last_time double precision not null,
      day date not null,
      part integer not null,
      hits integer not null,
      visits integer not null,
      code smallint not null,
      bytes bytea not null,
      primary key (website_number, day, import_number, part, code)
    );

alter table book alter column bytes set storage external;

create table import (
      number bigint generated always as identity primary key,
      id uuid not null unique,
      website_number bigint not null references website (number) on delete cascade,
      created_at timestamptz(3) not null,
      reported_at timestamptz(3) not null,
      format text collate "C" not null check (octet_length(format) <= 64),
      sha256 text collate "C" not null check (octet_length(sha256) = 64),
      status text collate "C" not null check (status in ('running', 'done', 'failed')),
      is_reading boolean not null default false,
      counts json not null,
      problem json
    );

create unique index import_of_file on import (website_number, sha256) where status <> 'failed';

create index import_running on import (reported_at) where status = 'running';

create table import_day (
      import_number bigint not null references import (number) on delete cascade,
      day date not null,
      hits bigint not null,
      primary key (import_number, day)
    );

create table imported_sum (
      website_number bigint not null,
      import_number bigint not null,
      duration bigint not null,
      day date not null,
      visitors integer not null,
      visits integer not null,
      pageviews integer not null,
      events integer not null,
      bounces integer not null,
      visits_with_pageviews integer not null,
      dimension smallint not null,
      gaps smallint not null,
      value text collate "C"
    );

create index imported_sum_by_dimension on imported_sum (website_number, dimension, day);

create table import_log (
      import_number bigint not null references import (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      read_from text,
      read_to text not null,
      primary key (import_number, log)
    );

create table import_crawler_hit (
      import_number bigint not null references import (number) on delete cascade,
      website_number bigint not null,
      hits bigint not null,
      hits_4xx bigint not null,
      day date not null,
      list smallint not null,
      purpose text collate "C" not null,
      value text collate "C" not null,
      primary key (website_number, day, list, value, purpose, import_number)
    );

create index import_crawler_hit_by_import on import_crawler_hit (import_number);

create table log_checkpoint (
      website_number bigint not null references website (number) on delete cascade,
      log text collate "C" not null check (octet_length(log) <= 1020),
      checkpoint text not null,
      primary key (website_number, log)
    );

create table followed_day (
      website_number bigint not null references website (number) on delete cascade,
      day date not null,
      primary key (website_number, day)
    );

create table journal_batch (
      number bigint generated always as identity,
      added_at timestamptz not null default now(),
      added_in bigint not null default pg_current_xact_id()::text::bigint,
      id uuid primary key,
      hit_count integer not null,
      is_waiting boolean,
      website_numbers bigint[] not null,
      hits text collate "C" not null
    );

create unique index journal_batch_outside on journal_batch (number) where is_waiting is not null;

create index journal_batch_waiting on journal_batch (number) where is_waiting;

create index journal_batch_by_time on journal_batch (added_at) where not is_waiting;

create table added_hits (batch_id uuid not null, website_number bigint not null, day date not null, hits integer not null)
    with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

create table statistics_engine (
      is_outside boolean not null,
      journal_id uuid not null default gen_random_uuid(),
      version bigint not null default 0,
      value_secret uuid not null default gen_random_uuid()
    );

insert into statistics_engine (is_outside) values (false);
