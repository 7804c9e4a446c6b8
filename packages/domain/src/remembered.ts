/**
 * The value of a key, made once. When `most` are known, all are forgotten: keys that come often are soon known again.
 *
 * @param most bounds the memory that a flood of keys can take
 */
export function remembered<Key, T>(known: Map<Key, T>, key: Key, most: number, make: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  if (known.size >= most) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

/** A longer string is never remembered, so that hostile ones cannot fill the memory. */
const MAX_LENGTH = 500;

/** The same function of strings, which remembers what it returns as {@link remembered} does. */
export function rememberingStrings<T>(read: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    if (text.length > MAX_LENGTH) return read(text);
    return remembered(known, text, most, () => ({ value: read(text) })).value;
  };
}
