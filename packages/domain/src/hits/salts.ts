import type { Day } from '../calendar/days.ts';

/**
 * The random keys under which visitors are computed, one per day, shared by all instances (counting.md, "Words").
 */
export interface SaltRepository {
  /** The day's salt: 32 bytes. The first caller stores `fresh`; concurrent callers all get the same salt. */
  saltOf(day: Day, fresh: Uint8Array): Promise<Uint8Array>;

  /** Deletes the salts of the days before `day`; returns their number. */
  deleteBefore(day: Day): Promise<number>;
}
