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
