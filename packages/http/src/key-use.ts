import type { AccessRepository } from '@hitherto/domain';

/** How often last-used times are written: they are accurate to a minute (decisions.md, "Authentication"). */
const FLUSH_INTERVAL_MS = 20_000;

/** Collects the last-used times of keys, and writes them in the background. */
export interface KeyUse {
  note(keyId: string, at: Date): void;
  /** Writes the collected times; on failure they are kept for the next time. */
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
