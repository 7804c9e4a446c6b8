import { isLanguage, LANGUAGES, type Language } from '@hitherto/words';
import { type Fault, inWords } from '../base/errors.ts';

/** A language of pages and mails by its code, or its fault. An empty one means none. */
export function readLanguage(
  sent: string | null,
): { readonly value: Language | null } | { readonly fault: Omit<Fault, 'field'> } {
  const language = sent?.trim().toLowerCase() ?? '';
  if (language === '') return { value: null };
  if (isLanguage(language)) return { value: language };
  const text = inWords(
    ({ resources }) => resources.segment.unknownOption,
    `The languages are ${LANGUAGES.join(', ')}.`,
  );
  return { fault: { code: 'not_allowed', ...text } };
}
