/**
 * The tables of a backup, each after the tables that it refers to. A test compares the list with the schema: a new table belongs
 * here or in the list of excluded tables.
 */
export const BACKUP_TABLES = [
  'account',
  'person',
  'member',
  'api_key',
  'second_factor',
  'passkey',
  'invitation',
  'audit_entry',
  'webhook',
  'webhook_delivery',
  'website',
  'website_alias',
  'definition',
  'shared_link',
  'annotation',
  'cleanup',
  'recipient',
  'alert',
  'finding',
  'checked_website',
  'coverage_report',
  'mail_subscription',
  'import',
  'import_day',
  'import_log',
  'import_crawler_hit',
  'imported_sum',
  'task',
  'store_record',
  'secret',
  'release',
  'salt',
  'deleted_website',
  'dropped_hit',
  'noted_hit',
  'crawler_hit',
  'log_checkpoint',
  'followed_day',
  'hit_batch',
  'statistics_engine',
  'journal_batch',
  'hit_retention',
  'added_hits',
  'website_day',
  'day_numbers',
  'book',
] as const;

/** The tables of a backup of settings: accounts, keys, and what their owners have set up, without anything that was counted. */
export const SETTINGS_TABLES: readonly (typeof BACKUP_TABLES)[number][] = [
  'account',
  'person',
  'member',
  'api_key',
  'second_factor',
  'passkey',
  'invitation',
  'webhook',
  'website',
  'website_alias',
  'definition',
  'shared_link',
  'annotation',
  'cleanup',
  'recipient',
  'alert',
  'mail_subscription',
  'secret',
];

/**
 * The tables that no backup has: sessions, sign-ins and one-time links, unlocks of pages, addresses that were asked and running imports end with a move, and migrations write their own
 * record.
 */
export const LEFT_OUT_TABLES = [
  'session',
  'pending_sign_in',
  'person_link',
  'asked_address',
  'local_secret',
  'schema_migration',
  'schema_migration_lock',
] as const;
