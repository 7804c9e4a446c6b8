import { sql } from 'kysely';

/**
 * Columns that configure the planner until the transaction ends, or until the next of them is selected. The planner knows
 * little of these tables: some are empty one moment and full the next, and nothing is known of restored ones. So the code
 * chooses how tables are joined, and the results do not depend on when they were analysed.
 */

/**
 * Joins by hashing all columns that are compared. For a table that the planner takes for nearly empty, it would choose nested
 * loops, or a merge by the day alone, which run for hours. A lateral join is always a nested loop, so rows are still found
 * by an index where that is meant.
 */
export const HASH_JOINS = sql`
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_hashjoin', 'on', true)`;

/** Joins row by row, by an index: for few rows of large tables. */
export const NESTED_LOOPS = sql`
  set_config('enable_nestloop', 'on', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_hashjoin', 'off', true)`;
