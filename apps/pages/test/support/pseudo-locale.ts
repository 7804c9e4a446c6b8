import { ENGLISH, type Locale, type Words } from '@hitherto/words';

const [OPEN, CLOSE] = ['⟦', '⟧'];

/** English in brackets, and 40 % longer: what stands outside of brackets on a page is data, or was not translated. */
export function pseudoLocale(direction: Locale['direction'] = 'ltr'): Locale {
  // `marked` keeps the shape.
  return { ...ENGLISH, direction, words: { ...(marked(ENGLISH.words) as Words), formats: ENGLISH.words.formats } };
}

function marked(words: unknown): unknown {
  if (typeof words === 'string') return bracketed(words);
  if (Array.isArray(words)) return [OPEN, ...words, CLOSE];
  if (typeof words === 'function') return (...values: readonly unknown[]) => marked(words(...values));
  if (typeof words !== 'object' || words === null) return words;
  return Object.fromEntries(Object.entries(words).map(([name, each]) => [name, marked(each)]));
}

/** How a text of a page is written in it. */
export function bracketed(text: string): string {
  return `${OPEN}${text}${'~'.repeat(Math.ceil(text.length * 0.4))}${CLOSE}`;
}

/** The words of a page that stand outside of brackets, in its text and in attributes that people read or hear. */
export function untranslatedIn(html: string): string[] {
  const attributes = [...html.matchAll(/ (?:aria-label|title|alt|placeholder)="([^"]*)"/g)].map(
    ([, text = '']) => text,
  );
  const text = html
    .replaceAll(/<(style|script|svg|code|bdi)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<(?:"[^"]*"|[^>"])*>/g, ' ');
  return [text, ...attributes].flatMap(outside);
}

/** The words outside of brackets, which may be nested. */
function outside(text: string): string[] {
  let depth = 0;
  let found = '';
  for (const character of text) {
    if (character === OPEN) depth += 1;
    if (depth === 0) found += character;
    if (character === CLOSE) {
      depth -= 1;
      found += ' ';
    }
  }
  return found.match(/\p{L}[\p{L}\p{N}.@-]+/gu) ?? [];
}
