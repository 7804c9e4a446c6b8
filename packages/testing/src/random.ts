import { createHash } from 'node:crypto';

/** Random numbers that are the same for the same seed. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  /** A whole number of at least 0 and less than `below`. */
  below(below: number): number;
  /** A random element. */
  pick<T>(from: readonly [T, ...T[]]): T;
  /** This many letters and digits. */
  word(length: number): string;
}

/** A generator seeded by all parts together: the run's seed, the row's name, the trial. */
export function randomOf(...parts: readonly (string | number)[]): Random {
  let state = createHash('sha256').update(parts.join('\0')).digest().readUInt32LE();
  // Mulberry32: 32 bits of state are enough for a trial.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)] ?? from[0],
    word: (length) => Array.from({ length }, () => below(36).toString(36)).join(''),
  };
}
