import type { Words } from './en.ts';
import { type Format, formatIn } from './format.ts';
import { isLanguage, LANGUAGE_TABLE, LANGUAGES, type Language } from './languages.ts';
import { WORDS } from './words.ts';

/** A language with all that a page or a mail needs of it. */
export interface Locale {
  /** Of `lang` and `Content-Language`. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
  readonly format: Format;
}

const LOCALES = new Map<Language, Locale>(
  LANGUAGES.map((language) => {
    const { direction, ...tags } = LANGUAGE_TABLE[language];
    const words = WORDS[language];
    return [language, { language, direction, words, format: formatIn(tags, words.formats) }];
  }),
);

/** The language of commands, logs, the API and docs. */
export const ENGLISH = localeOf('en');

/** The locale of the first of these that is a language. */
export function firstLocale(languages: readonly (string | null | undefined)[], byDefault: Locale): Locale {
  const language = languages.find((each) => each != null && isLanguage(each));
  return language != null && isLanguage(language) ? localeOf(language) : byDefault;
}

export function localeOf(language: Language): Locale {
  const locale = LOCALES.get(language);
  if (locale === undefined) throw new Error(`There is no locale of ${language}.`);
  return locale;
}
