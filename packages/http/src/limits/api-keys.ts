import { performance } from 'node:perf_hooks';
import { type AccessRepository, type ApiKey, authenticate, hashKey, isUsable } from '@hitherto/domain/access';
import { LRUCache } from 'lru-cache';

// The keys of requests: how they are found, and how their use is recorded.

/** Less than the second within which every instance rejects a revoked key (api.md, "Authentication"). */
const TRUSTED_MS = 800;
/** A key accepted within this time is looked up again even for an address with too many failed keys. */
const REMEMBERED_MS = 60_000;
const MAX_KEYS = 10_000;

interface Entry {
  readonly key: ApiKey;
  /** When the lookup of the key began, on the monotonic clock. */
  readonly since: number;
}

/** Looks up the keys of requests, and caches valid ones for less than a second. */
interface KeyCache {
  /** The key with this string, or `undefined` if it is not valid; rejects if it cannot be looked up. */
  find(text: string): Promise<ApiKey | undefined> | ApiKey | undefined;
  /** Whether this instance has recently accepted the key. */
  hasAccepted(text: string): boolean;
}

/** Keys are cached by their hash, never in clear. Concurrent lookups of one key share one query. */
export function createKeyCache(deps: { access: AccessRepository; now: () => Date }): KeyCache {
  const entries = new LRUCache<string, Entry>({ max: MAX_KEYS, ttl: REMEMBERED_MS, ttlResolution: 1_000 });
  const pending = new Map<string, { readonly since: number; readonly found: Promise<ApiKey | undefined> }>();

  async function lookUp(hash: string, text: string, since: number): Promise<ApiKey | undefined> {
    const key = await authenticate(deps, text);
    const known = entries.get(hash);
    if (known !== undefined && known.since > since) return key;
    if (key === undefined) entries.delete(hash);
    else entries.set(hash, { key, since });
    return key;
  }

  return {
    find(text) {
      const hash = hashKey(text);
      if (hash === undefined) return undefined;
      const entry = entries.get(hash);
      if (entry !== undefined && performance.now() - entry.since < TRUSTED_MS) {
        return isUsable(entry.key, deps.now()) ? entry.key : undefined;
      }
      // A slow lookup may have read the key before it was revoked, so it is shared only for as long as its result is trusted.
      const running = pending.get(hash);
      if (running !== undefined && performance.now() - running.since < TRUSTED_MS) return running.found;
      const since = performance.now();
      const started = { since, found: lookUp(hash, text, since).finally(() => forget(started)) };
      const forget = (ended: typeof started) => {
        if (pending.get(hash) === ended) pending.delete(hash);
      };
      pending.set(hash, started);
      return started.found;
    },
    hasAccepted(text) {
      const hash = hashKey(text);
      return hash !== undefined && entries.has(hash);
    },
  };
}

/** How often last-used times are written: they are accurate to a minute (api.md, "Authentication"). */
const FLUSH_INTERVAL_MS = 20_000;

/** Collects the last-used times of keys, and writes them in the background. */
export interface KeyUse {
  note(keyId: string, at: Date): void;
  /** Writes the collected times; after a failure they are written the next time. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export function createKeyUse(access: AccessRepository, onError: (error: unknown) => void): KeyUse {
  let noted = new Map<string, Date>();

  async function flush(): Promise<void> {
    if (noted.size === 0) return;
    const uses = noted;
    noted = new Map();
    try {
      await access.recordKeyUse(uses);
    } catch (error) {
      noted = new Map([...uses, ...noted]);
      onError(error);
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS);
  timer.unref();
  return {
    note: (keyId, at) => {
      noted.set(keyId, at);
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
