/** A language of pages and mails. */
interface LanguageTraits {
  /** In the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** The tag by which `Intl` formats numbers and names. */
  readonly numbers: string;
  /** And dates. */
  readonly dates: string;
}

/** All languages (languages.md). A new one has its file next to this one, and a row here and in `words.ts`. */
export const LANGUAGE_TABLE = {
  en: { name: 'English', direction: 'ltr', numbers: 'en', dates: 'en-GB' },
  de: { name: 'Deutsch', direction: 'ltr', numbers: 'de', dates: 'de' },
  fr: { name: 'Français', direction: 'ltr', numbers: 'fr', dates: 'fr' },
  es: { name: 'Español', direction: 'ltr', numbers: 'es', dates: 'es' },
} as const satisfies Readonly<Record<string, LanguageTraits>>;

/** The primary subtag of a language (RFC 5646), by which people and settings name it. */
export type Language = keyof typeof LANGUAGE_TABLE;

export const LANGUAGES = Object.keys(LANGUAGE_TABLE) as readonly Language[];

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGE_TABLE, text);
}

/** The best language for an `Accept-Language`, by the lookup of RFC 4647: `de-AT` finds `de`. `undefined` if none fits. */
export function acceptedLanguage(header: string | undefined): Language | undefined {
  const ranges = (header ?? '').split(',', MAX_RANGES).map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return { subtag: range.split('-')[0] ?? '', weight: Number(weight) };
  });
  return ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ subtag }) => subtag)
    .find(isLanguage);
}

/** Longer lists are cut: browsers send a handful. */
const MAX_RANGES = 50;
