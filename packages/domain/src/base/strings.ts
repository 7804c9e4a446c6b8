/** Whether the string can occur in a line of a search text, which has no line break, NUL or lone surrogate. */
export function canOccur(search: string): boolean {
  return !/[\n\0\p{Cs}]/u.test(search);
}

/** Whether the string can be stored: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}

/** A string from outside as it is stored: PostgreSQL accepts neither a NUL nor a lone surrogate. */
export function storableString(text: string): string {
  return isStorable(text) ? text : Buffer.from(text.replaceAll('\0', '\ufffd')).toString();
}

/**
 * A value as JSON whose strings can be stored. A column of the type `json` accepts any escape, but PostgreSQL cannot read from a
 * value with a NUL or a lone surrogate.
 */
export function storableJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? storableString(member) : member));
}
