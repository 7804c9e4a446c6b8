import type { Day } from '../calendar/days.ts';

/**
 * The random keys under which visitors are computed, one per day, shared by all instances (statistics.md, section 1).
 */
export interface SaltRepository {
  /** The day's salt: 32 bytes. The first caller stores `fresh`; concurrent callers all get the same salt. */
  saltOf(day: Day, fresh: Uint8Array): Promise<Uint8Array>;

  /** Deletes the salts of the days before `day`; returns their number. */
  deleteBefore(day: Day): Promise<number>;
}

/** The days' salts, remembered. */
export interface Salts {
  /** The day's salt. Rejects with `unavailable`. */
  of(day: Day): Uint8Array | Promise<Uint8Array>;
  /** Forgets the salts of the days before `day`. */
  forgetBefore(day: Day): void;
}

const SALT_BYTES = 32;
/** Server hits may be of yesterday, today, or the first moments of tomorrow. */
const MAX_DAYS = 4;

/**
 * Caches the salts of the repository.
 *
 * @param randomBytes makes so many random bytes
 */
export function rememberSalts(salts: SaltRepository, randomBytes: (size: number) => Uint8Array): Salts {
  const known = new Map<Day, Uint8Array>();
  const underWay = new Map<Day, Promise<Uint8Array>>();

  async function ask(day: Day): Promise<Uint8Array> {
    const asking = salts.saltOf(day, randomBytes(SALT_BYTES));
    underWay.set(day, asking);
    try {
      const salt = await asking;
      known.set(day, salt);
      for (const old of [...known.keys()].sort().slice(0, -MAX_DAYS)) known.delete(old);
      return salt;
    } finally {
      underWay.delete(day);
    }
  }

  return {
    of: (day) => known.get(day) ?? underWay.get(day) ?? ask(day),

    forgetBefore(day) {
      for (const old of [...known.keys()]) if (old < day) known.delete(old);
    },
  };
}
