import { sql } from 'kysely';

/**
 * Columns that configure the planner until the transaction ends, or until the next of them is selected. The planner knows
 * little of these tables: some are empty one moment and full the next, and restored ones have no statistics. So the code
 * chooses how tables are joined, and the results do not depend on when they were analysed.
 */

/**
 * Joins by hashing all columns that are compared, and groups by hashing. For a table that the planner believes to be nearly empty,
 * it would choose nested loops, or a merge by the day alone, which run for hours, and sort hundreds of thousands of strings
 * to group them. A lateral join is always a nested loop, so rows are still found by an index where that is meant.
 */
export const HASHING = sql`
  set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_hashjoin', 'on', true), set_config('enable_sort', 'off', true)`;

/** Joins row by row, by an index: for few rows of large tables. */
export const NESTED_LOOPS = sql`
  set_config('enable_nestloop', 'on', true), set_config('enable_mergejoin', 'off', true),
  set_config('enable_hashjoin', 'off', true), set_config('enable_sort', 'on', true)`;
