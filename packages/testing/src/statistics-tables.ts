import { clear } from './clear.ts';
import { rowsOf } from './databases.ts';

const TABLES = [
  'import_crawler_hit',
  'import_log',
  'imported_sum',
  'import_day',
  'import',
  'account',
  'day_numbers',
  'book',
  'added_hits',
  'website_day',
  'dropped_hit',
  'crawler_hit',
  'log_checkpoint',
  'followed_day',
  'salt',
  'hit_batch',
  'deleted_website',
  'journal_batch',
];

/** Empties the database of accounts and statistics. */
export function clearStatistics(url: string): Promise<void> {
  const deletions = TABLES.map((table) => `delete from ${table}`).join('; ');
  return clear(url, `${deletions}; update hit_retention set kept_from = '0001-01-01'`);
}

/** How many rows each table has. */
export async function countRows(url: string, tables: readonly string[]): Promise<Record<string, number | undefined>> {
  const counts = tables.map((table) => `(select count(*)::integer from ${table}) as ${table}`);
  const [row = {}] = await rowsOf<Record<string, number>>(url, `select ${counts.join(', ')}`);
  return row;
}
