/** More than any list or object of a body may have, and enough for every fault that a response lists. */
const MAX_ENTRIES = 100;

/**
 * A decoded JSON value whose nested lists and objects end after a hundred entries: a body has room for so many entries that their
 * faults would take seconds to list. Only fields that no schema accepts are nested deeper than four levels.
 */
export function shortenedValue(value: unknown, levels = 4): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => shortenedValue(item, levels - 1));
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(entries.map(([name, item]) => [name, shortenedValue(item, levels - 1)]));
}
