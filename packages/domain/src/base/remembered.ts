/**
 * The value of a key, made once. When `most` are known, all are forgotten: keys that come often are soon known again.
 *
 * @param most bounds the memory that a flood of keys can take
 */
export function remembered<T>(known: Map<string, T>, key: string, most: number, make: () => T): T;
export function remembered<T>(known: Map<number, T>, key: number, most: number, make: () => T): T;
export function remembered<T>(known: Map<string | number, T>, key: string | number, most: number, make: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  if (known.size >= most) known.clear();
  const made = make();
  known.set(typeof key === 'string' ? standalone(key) : key, made);
  return made;
}

/** A copy of a string. V8 keeps the whole source of a substring in memory, such as the file that a value was read from. */
export function standalone(text: string): string {
  const copy: unknown = JSON.parse(JSON.stringify(text));
  return String(copy);
}

/** A longer string is never remembered, so that hostile ones cannot fill the memory. */
const MAX_LENGTH = 500;

/** The same function of strings, which remembers its results as {@link remembered} does. */
export function rememberingStrings<T>(read: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    if (text.length > MAX_LENGTH) return read(text);
    return remembered(known, text, most, () => ({ value: read(standalone(text)) })).value;
  };
}
