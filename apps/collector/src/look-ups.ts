import { LRUCache } from 'lru-cache';

/** Looks values up by a key and remembers what it found, and what it did not find. */
export interface LookUps<Value> {
  /** The value, or `undefined` where there is none. Concurrent calls for one key share a look-up. */
  get(key: string): Value | undefined | Promise<Value | undefined>;
  /** Whether a value is remembered, however old. */
  has(key: string): boolean;
  forget(key: string): void;
  forgetAll(): void;
}

export interface LookUpOptions<Value> {
  readonly load: (key: string) => Promise<Value | undefined>;
  /** For how many milliseconds a value is remembered, from the start of its look-up on. */
  readonly foundMs: number;
  /** For how many milliseconds it is remembered that there is none. */
  readonly absentMs: number;
  /** How much of {@link MAX_SIZE} a value takes. */
  readonly sizeOf: (value: Value) => number;
  /** Monotonic, in milliseconds. */
  readonly clock: () => number;
}

/** The most keys that are remembered, of each kind. */
const MAX_KEYS = 10_000;
/** The most that all values may take together. */
export const MAX_SIZE = 500_000;

/** Remembers look-ups, bounded in number and size; the longest unused are forgotten first. */
export function createLookUps<Value extends object>(options: LookUpOptions<Value>): LookUps<Value> {
  const { load, foundMs, absentMs, sizeOf, clock } = options;
  const found = new LRUCache<string, { readonly value: Value; readonly until: number }>({
    max: MAX_KEYS,
    maxSize: MAX_SIZE,
  });
  // Apart, so that a flood of keys that do not exist pushes no value out.
  const absent = new LRUCache<string, number>({ max: MAX_KEYS });
  const underWay = new Map<string, Promise<Value | undefined>>();

  async function lookUp(key: string): Promise<Value | undefined> {
    const start = clock();
    const loading = load(key);
    underWay.set(key, loading);
    // A key that was forgotten meanwhile may have got what was before the change.
    const isCurrent = () => underWay.get(key) === loading;
    try {
      const value = await loading;
      if (isCurrent()) keep(key, value, start);
      return value;
    } finally {
      if (isCurrent()) underWay.delete(key);
    }
  }

  function keep(key: string, value: Value | undefined, start: number): void {
    found.delete(key);
    if (value === undefined) absent.set(key, start + absentMs);
    else found.set(key, { value, until: start + foundMs }, { size: sizeOf(value) });
  }

  return {
    get(key) {
      const known = found.get(key);
      if (known !== undefined && clock() < known.until) return known.value;
      if (clock() < (absent.get(key) ?? 0)) return undefined;
      return underWay.get(key) ?? lookUp(key);
    },

    has: (key) => found.has(key),

    forget(key) {
      found.delete(key);
      absent.delete(key);
      underWay.delete(key);
    },

    forgetAll() {
      found.clear();
      absent.clear();
      underWay.clear();
    },
  };
}
