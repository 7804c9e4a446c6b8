import { ENGLISH, formatIn, LANGUAGE_TABLE, type Locale, type Words } from '@hitherto/words';

const [OPEN, CLOSE] = ['\u27e6', '\u27e7'];

/**
 * A language that nobody speaks, for tests: its words are those of English in brackets and 40 % longer. What is on a page without
 * brackets is data, or was not translated.
 */
export function pseudoLocale(direction: Locale['direction'] = 'ltr'): Locale {
  const words = lengthened(ENGLISH.words);
  const language = direction === 'ltr' ? 'en-XA' : 'ar-XB';
  return { language, direction, words, format: formatIn(LANGUAGE_TABLE.en, words.formats) };
}

/** The same shape with other texts. */
function lengthened(words: Words): Words {
  // Each member keeps its type: strings stay strings, and functions return what they returned.
  return lengthenedMember(words) as Words;
}

function lengthenedMember(member: unknown): unknown {
  if (typeof member === 'string') return `${OPEN}${member}${'~'.repeat(Math.ceil(member.length * 0.4))}${CLOSE}`;
  if (typeof member === 'function') return (...values: unknown[]) => lengthenedMember(member(...values));
  if (Array.isArray(member)) return member.map((part) => (typeof part === 'string' ? lengthenedMember(part) : part));
  if (typeof member !== 'object' || member === null) return member;
  return Object.fromEntries(Object.entries(member).map(([name, inner]) => [name, lengthenedMember(inner)]));
}
