import { LRUCache } from 'lru-cache';

/** Looks values up by key, and caches both values and absences. */
interface LookupCache<Value> {
  /** The value, or `undefined` if there is none. Concurrent calls for one key share a lookup. */
  get(key: string): Value | undefined | Promise<Value | undefined>;
  /** What is cached, without a lookup. */
  recall(key: string): Recalled<Value>;
  forget(key: string): void;
  forgetAll(): void;
}

/** A cached value, however old. */
export interface Recalled<Value> {
  readonly value: Value | undefined;
  /** Whether no lookup is needed: the value, or its absence, is of the last {@link LookupCacheOptions.maxAgeMs}. */
  readonly isCurrent: boolean;
}

interface LookupCacheOptions<Value> {
  readonly load: (key: string) => Promise<Value | undefined>;
  /** How long a value or an absence is cached, in milliseconds from the start of its lookup. */
  readonly maxAgeMs: number;
  /** The share of {@link MAX_SIZE} that a value uses. */
  readonly sizeOf: (value: Value) => number;
  /** Monotonic, in milliseconds; by default the system's. */
  readonly clock?: (() => number) | undefined;
}

/** The most cached keys, each for values and absences. */
const MAX_KEYS = 10_000;
/** The limit of all cached values together. */
const MAX_SIZE = 500_000;

/** Caches lookups, bounded in number and size; the least recently used are dropped first. */
export function createLookupCache<Value extends object>(options: LookupCacheOptions<Value>): LookupCache<Value> {
  const { load, maxAgeMs, sizeOf, clock = () => performance.now() } = options;
  const found = new LRUCache<string, { readonly value: Value; readonly until: number }>({
    max: MAX_KEYS,
    maxSize: MAX_SIZE,
  });
  // Separate, so that a flood of unknown keys evicts no value.
  const absent = new LRUCache<string, number>({ max: MAX_KEYS });
  const underWay = new Map<string, Promise<Value | undefined>>();

  async function lookUp(key: string): Promise<Value | undefined> {
    const start = clock();
    const loading = load(key);
    underWay.set(key, loading);
    // The result for a key that was dropped while it was loading may be from before the change.
    const isCurrent = () => underWay.get(key) === loading;
    try {
      const value = await loading;
      if (isCurrent()) store(key, value, start);
      return value;
    } finally {
      if (isCurrent()) underWay.delete(key);
    }
  }

  function store(key: string, value: Value | undefined, start: number): void {
    found.delete(key);
    if (value === undefined) absent.set(key, start + maxAgeMs);
    else found.set(key, { value, until: start + maxAgeMs }, { size: sizeOf(value) });
  }

  function recall(key: string): Recalled<Value> {
    const known = found.get(key);
    return { value: known?.value, isCurrent: clock() < (known?.until ?? absent.get(key) ?? 0) };
  }

  return {
    recall,

    get(key) {
      const { value, isCurrent } = recall(key);
      return isCurrent ? value : (underWay.get(key) ?? lookUp(key));
    },

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
