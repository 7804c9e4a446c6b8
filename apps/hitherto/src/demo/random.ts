/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 to 1, without 1. */
  fraction(): number;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** One of the values, by weight. */
  pick<T>(weighted: readonly (readonly [weight: number, value: T])[]): T;
}

/** The generator mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  return {
    fraction,
    between: (min, max) => min + Math.floor(fraction() * (max - min + 1)),
    pick(weighted) {
      let rest = fraction() * weighted.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of weighted) {
        rest -= weight;
        if (rest < 0) return value;
      }
      throw new RangeError('There is nothing to pick from.');
    },
  };
}
