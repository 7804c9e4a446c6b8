/** The query has no exact result; the message names the reason, and is sent as `{"error"}`. */
export class InvalidQuery extends Error {
  override readonly name = 'InvalidQuery';
}

/** A list, or an error that names the field. */
export function listOf(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new InvalidQuery(`"${field}" must be a list.`);
  return value;
}

/** A string, or an error that says what must be one. */
export function stringOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new InvalidQuery(`${what} must be a string.`);
  return value;
}

/** A list of strings, or an error that names the field. */
export function stringsOf(value: unknown, field: string): readonly string[] {
  return listOf(value, field).map((item) => {
    if (typeof item !== 'string') throw new InvalidQuery(`"${field}" must be a list of strings.`);
    return item;
  });
}
