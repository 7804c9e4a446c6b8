/** Whether the text can occur in one line of a search text: those hold no line break, NUL or lone surrogate. */
export function canOccur(search: string): boolean {
  return !/[\n\0\p{Cs}]/u.test(search);
}

/** Whether the text can have been kept: none that was holds a NUL or a lone surrogate. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}

/** The text as it is kept where it comes from outside: PostgreSQL takes neither a NUL nor a lone surrogate. */
export function storableText(text: string): string {
  return isStorable(text) ? text : Buffer.from(text.replaceAll('\0', '\ufffd')).toString();
}
