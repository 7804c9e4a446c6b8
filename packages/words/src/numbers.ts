import { LANGUAGE_TABLE, type Language } from './languages.ts';

/** The forms of a noun or sentence for counts, by the names of `Intl.PluralRules`; `other` serves where one is missing. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** How the words of a language write counts. */
export interface Numbers {
  /** `41,950`. */
  readonly count: (count: number) => string;
  /** The form for a count: `visitor`, `visitors`. */
  readonly plural: (count: number, forms: Forms) => string;
  /** The count and its form: `41,950 visitors`. */
  readonly counted: (count: number, forms: Forms) => string;
}

export function numbersIn(language: Language): Numbers {
  const { numbers } = LANGUAGE_TABLE[language];
  const format = new Intl.NumberFormat(numbers);
  const rules = new Intl.PluralRules(numbers);
  const plural = (count: number, forms: Forms) => forms[rules.select(count)] ?? forms.other;
  return {
    count: (count) => format.format(count),
    plural,
    counted: (count, forms) => `${format.format(count)} ${plural(count, forms)}`,
  };
}
