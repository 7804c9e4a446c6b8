import type { Migration } from 'kysely';
import * as schema from './0001-schema.ts';

/**
 * All migrations in their order, by names that sort the same. One that has been released is never changed again. The version
 * before must be able to work with the new schema; where it cannot, the name ends with `-exclusive`, and it does not start.
 */
export const migrations: Record<string, Migration> = {
  '0001-schema': schema,
};
