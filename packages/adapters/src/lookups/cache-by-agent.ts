import { LRUCache } from 'lru-cache';

/** The number of cached user agents: enough for nearly all visits of a day, a few MB at most. */
const MAX_AGENTS = 4_096;

/** A longer user agent is never cached, so that hostile ones cannot fill the memory. */
export const MAX_AGENT_LENGTH = 500;

/** Caches what `read` says of user agents. */
export function cacheByAgent<Value extends object | boolean>(
  read: (userAgent: string) => Value,
): (userAgent: string) => Value {
  const known = new LRUCache<string, Value>({ max: MAX_AGENTS });

  return (userAgent) => {
    const cached = known.get(userAgent);
    if (cached !== undefined) return cached;
    const value = read(userAgent);
    if (userAgent.length <= MAX_AGENT_LENGTH) known.set(userAgent, value);
    return value;
  };
}
