/** A value in the text format of COPY. */
export function toCopy(text: string | null): string {
  if (text === null) return '\\N';
  // Few values have any, and looking for one is quicker than replacing none.
  return TO_ESCAPE.test(text) ? text.replaceAll(ALL_TO_ESCAPE, (character) => ESCAPED[character] ?? character) : text;
}

const TO_ESCAPE = /[\\\t\n\r]/;
const ALL_TO_ESCAPE = new RegExp(TO_ESCAPE, 'g');
const ESCAPED: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
