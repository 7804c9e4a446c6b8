export type { Words } from './en.ts';
export { type Format, formatIn } from './format.ts';
export { acceptedLanguage, isLanguage, LANGUAGE_TABLE, LANGUAGES, type Language } from './languages.ts';
export { ENGLISH, firstLocale, type Locale, localeOf } from './locale.ts';
export { type Forms, type Numbers, numbersIn } from './numbers.ts';
export type { Make, Sentence } from './sentence.ts';
export { WORDS } from './words.ts';
