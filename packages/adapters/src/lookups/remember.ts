import { LRUCache } from 'lru-cache';

/** The number of remembered strings: enough for nearly all hits of a few minutes, a few MB at most. */
const MAX_STRINGS = 4_096;

/** A longer string is never remembered, so that hostile ones cannot fill the memory. */
const MAX_LENGTH = 500;

/** Remembers what `read` returns for a string; the least recently used are forgotten first. */
export function remember<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new LRUCache<string, { readonly value: Value }>({ max: MAX_STRINGS });

  return (text) => {
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered.value;
    const value = read(text);
    if (text.length <= MAX_LENGTH) known.set(text, { value });
    return value;
  };
}
