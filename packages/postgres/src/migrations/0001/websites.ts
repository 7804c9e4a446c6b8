import { sql } from 'kysely';

export const websites = [
  // The primary key is also the order of an account's list, the newest first. An address has at most 2,041 bytes, so that an
  // entry of its index fits a page's limit of 2,704 even where it cannot be compressed. Nothing is stored twice, and the search
  // text only if it differs from the url: the shorter the rows, the faster a search. `number` is what hits refer to;
  // `lock_version` grows with every change of who may see the page, so that earlier unlocks end.
  sql`
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
    )`,
  sql`create index website_by_address on website using hash (address)`,
  // Other products' trackers name websites by their host, which may have many: the first is asked for.
  sql`
    create index website_by_host on website (split_part(address, '/', 1), host_since nulls first, created_at, number)`,
  sql`create index website_with_reports on website (number) where email_reports`,
  // Few websites have one, and jobs ask which zones there are.
  sql`create index website_by_time_zone on website (time_zone) where time_zone is not null`,
  // The text comes first, because the index evaluates columns in this order, and the list of an account's websites is long. The
  // account is included for terms that are frequent in other accounts.
  sql`
    create index website_by_search_text on website
    using gin ((coalesce(search_text, scheme || '://' || address)) gin_trgm_ops, account_id)`,
  sql`
    create function count_lock_change() returns trigger language plpgsql as $$ begin
      new.lock_version := old.lock_version + 1;
      return new;
    end $$`,
  sql`
    create trigger count_lock_change before update on website for each row
    when (old.privacy is distinct from new.privacy or old.password_hash is distinct from new.password_hash)
    execute function count_lock_change()`,
  // A name belongs to the account that had it first. A host with and without `www.` is the same name.
  sql`
    create function note_website_names() returns trigger language plpgsql as $$
    declare
      before text := regexp_replace(old.address, '^www\\.', '');
      after text := regexp_replace(new.address, '^www\\.', '');
    begin
      if before <> after then new.address_since := now(); end if;
      if split_part(before, '/', 1) <> split_part(after, '/', 1) then new.host_since := now(); end if;
      return new;
    end $$`,
  sql`
    create trigger note_names before update of address on website for each row
    when (new.address is distinct from old.address) execute function note_website_names()`,
  sql`
    create function note_email_since() returns trigger language plpgsql as $$ begin
      new.email_since := new.updated_at;
      return new;
    end $$`,
  sql`
    create trigger note_email_since_insert before insert on website for each row
    when (new.email_reports) execute function note_email_since()`,
  sql`
    create trigger note_email_since_update before update on website for each row
    when (new.email_reports and (not old.email_reports or new.report <> old.report)) execute function note_email_since()`,

  // Numbers by page are made with the rules that show pages. The lock is that of the work that makes numbers (`LOCK_ID`).
  sql`
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
    end $$`,
  sql`
    create trigger forget_numbers_by_page after update of page_rules on website for each row
    when (new.page_rules is distinct from old.page_rules) execute function forget_numbers_by_page()`,

  // A website has its aliases in their order; a trigger keeps this table in step, in which an alias is unique and from which its
  // website is found. Aliases are added in one order, so that two transactions wait for each other instead of failing.
  sql`
    create table website_alias (
      alias text collate "C" not null check (octet_length(alias) between 1 and 255),
      website_number bigint not null references website (number) on delete cascade,
      since timestamptz default now(),
      constraint website_alias_taken primary key (alias)
    )`,
  sql`create index website_alias_of_website on website_alias (website_number)`,
  sql`
    create function keep_website_aliases() returns trigger language plpgsql as $$ begin
      delete from website_alias where website_number = new.number and alias <> all (new.aliases);
      insert into website_alias (alias, website_number)
      select given.alias, new.number from unnest(new.aliases) given (alias)
      where not exists (select from website_alias own where own.alias = given.alias and own.website_number = new.number)
      order by given.alias;
      return null;
    end $$`,
  sql`
    create trigger keep_aliases_of_new after insert on website for each row
    when (new.aliases <> '{}') execute function keep_website_aliases()`,
  sql`
    create trigger keep_aliases after update of aliases on website for each row
    when (new.aliases is distinct from old.aliases) execute function keep_website_aliases()`,

  // The numbers of deleted websites, for a job that purges their statistics, and their ids, by which an engine is told to forget
  // them. An id can be there twice: a website that was brought back can be deleted again.
  sql`
    create table deleted_website (
      number bigint primary key,
      id uuid not null,
      deleted_at timestamptz(3) not null,
      is_purged boolean not null default false
    )`,
  sql`create index deleted_website_by_id on deleted_website using hash (id)`,
  // Per statement, not per row: deleting an account may delete millions of websites.
  sql`
    create function keep_deleted_websites() returns trigger language plpgsql as $$ begin
      insert into deleted_website (number, id, deleted_at) select number, id, now() from changed;
      return null;
    end $$`,
  sql`
    create trigger keep_deleted after delete on website referencing old table as changed
    for each statement execute function keep_deleted_websites()`,

  // Instances are notified of changes and deletions, but not of new websites, because notifying transactions commit one after the
  // other. An empty payload stands for many websites.
  sql`
    create function notify_website_changed() returns trigger language plpgsql as $$ begin
      if (select count(*) from (select from changed limit 101) few) > 100 then
        perform pg_notify('website_changed', '');
      else
        perform pg_notify('website_changed', id::text) from changed;
      end if;
      return null;
    end $$`,
  sql`
    create trigger notify_updated after update on website referencing new table as changed
    for each statement execute function notify_website_changed()`,
  sql`
    create trigger notify_deleted after delete on website referencing old table as changed
    for each statement execute function notify_website_changed()`,
];
