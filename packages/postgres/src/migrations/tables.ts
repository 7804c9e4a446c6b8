import type { KeyScope } from '@hitherto/domain/access';
import type { TaskKind, TaskRecord } from '@hitherto/domain/tasks';
import type { GeneratedAlways } from 'kysely';

export interface AccountTable {
  id: string;
  name: string;
  created_at: Date;
  /** Where reports go. */
  email: string | null;
  email_since: Date | null;
  requires_second_factor: boolean;
  brand_name: string | null;
  brand_accent: string | null;
  logo_name: string | null;
  logo: Buffer | null;
}

export interface ApiKeyTable {
  id: string;
  account_id: string;
  /** `null` for a key of the account. */
  person_id: string | null;
  /** `null` for all websites of the account. */
  website_ids: string[] | null;
  hash: string;
  scope: KeyScope;
  label: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface SessionTable {
  hash: string;
  key_id: string | null;
  person_id: string | null;
  last_used_at: Date;
  browser: string | null;
  network: string | null;
  created_at: Date;
  expires_at: Date;
}

/** Websites, without the columns of their settings, which `website-row.ts` derives from the domain's table of settings. */
export interface WebsiteTable {
  account_id: string;
  id: string;
  /** The url is `scheme://address`; an account has an address once, whatever the scheme. */
  scheme: string;
  address: string;
  /** `searchTextOf(url)`, or `null` where that is the url itself: most are, and a row that is short is searched sooner. */
  search_text: string | null;
  password_hash: string | null;
  created_at: Date;
  /** The website's version too: a replacement names the one that it saw. */
  updated_at: Date;
  /** The reference of hits to it; a 64-bit integer, which the driver reads as a string. */
  number: GeneratedAlways<string>;
  /** Counted by a trigger. */
  lock_version: GeneratedAlways<number>;
  /** When `email_reports` was last turned on or `report` changed, noted by triggers; `null` on rows from before there were any. */
  email_since: GeneratedAlways<Date | null>;
  /** When it was given its address and its host; `null` on rows from before this was noted. */
  address_since: GeneratedAlways<Date | null>;
  host_since: GeneratedAlways<Date | null>;
}

/** The aliases of all websites, which a trigger copies from them. */
export interface WebsiteAliasTable {
  alias: string;
  website_number: string;
  /** The same for the alias. */
  since: GeneratedAlways<Date | null>;
}

/** Shared links to the statistics of websites; the columns are explained in the migration. */
export interface SharedLinkTable {
  website_number: string;
  number: GeneratedAlways<string>;
  id: string;
  token_hash: string;
  name: string;
  segment_id: string | null;
  expires_at: Date | null;
  password_hash: string | null;
  created_at: Date;
}

/** Websites whose hits and statistics are still to be purged. */
export interface DeletedWebsiteTable {
  number: string;
  id: string;
  deleted_at: Date;
}

/** Idempotency records; their table is named after their first use, creating websites. */
export interface IdempotencyRecordTable {
  account_id: string;
  key_hash: string;
  fingerprint: string;
  /** The sealed response. */
  sealed_website: string;
  expires_at: Date;
}

/** Tasks of the queue; the columns are explained in the migration. */
export interface TaskTable {
  kind: TaskKind;
  website_number: string | null;
  key: string;
  state: TaskRecord['state'];
  due_at: Date;
  failures: number;
  /** The last failure; `null` once the task was done. */
  detail: string | null;
  failed_at: Date | null;
}

export interface SecretTable {
  purpose: string;
  secret: Buffer;
}

/** The tables as the latest migration leaves them. */
export interface RecipientTable {
  website_number: string;
  number: GeneratedAlways<string>;
  id: string;
  email: string;
  email_key: string;
  asked_at: Date | null;
  confirmed_at: Date | null;
  created_at: Date;
}

export interface Tables {
  account: AccountTable;
  api_key: ApiKeyTable;
  session: SessionTable;
  website: WebsiteTable;
  website_alias: WebsiteAliasTable;
  shared_link: SharedLinkTable;
  recipient: RecipientTable;
  deleted_website: DeletedWebsiteTable;
  task: TaskTable;
  secret: SecretTable;
  store_record: IdempotencyRecordTable;
}
