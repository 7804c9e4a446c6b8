import { run } from '@hitherto/testing/databases';

const TABLES = [
  'account',
  'hit',
  'visit',
  'summary',
  'changed_visitor',
  'website_day',
  'dropped_hit',
  'salt',
  'hit_batch',
  'ingest_batch',
  'deleted_website',
];

/** Empties the database of accounts and statistics. */
export function clearStatistics(url: string): Promise<void> {
  const deletions = TABLES.map((table) => `delete from ${table}`).join('; ');
  return run(url, `${deletions}; update hit_retention set kept_from = '0001-01-01'`);
}
