import { ENGLISH, type Words } from '@hitherto/words';
import { storableString } from './strings.ts';

/** Texts that are stored, or sent to another process. `reason` is the meaning of a reason to leave a row out. */
type Texts = Words['files'] &
  Words['verdicts'] &
  Words['deliveries'] & { readonly reason: (reason: keyof Words['reasons']) => string };
type Values<Text> = Text extends (...values: infer All) => string ? All : [];
/** A text may stand for a string. */
type Given<All extends readonly unknown[]> = {
  [Index in keyof All]: All[Index] extends string ? All[Index] | StoredText : All[Index];
};

/** A text by its name, with its values. Another version may have stored it. */
export interface StoredText {
  readonly name: string;
  readonly values: readonly (string | number | StoredText)[];
}

/** A text with its values. */
export function storedText<Name extends keyof Texts>(name: Name, ...values: Given<Values<Texts[Name]>>): StoredText {
  return { name, values };
}

/** Values are often of a file, and as long as its author likes. */
const MAX_VALUE_LENGTH = 300;

/** The text with strings that are short, and can be stored. */
export function shortened({ name, values }: StoredText): StoredText {
  return {
    name,
    values: values.map((value) => {
      if (typeof value === 'object') return shortened(value);
      return typeof value === 'string' ? storableString(value.slice(0, MAX_VALUE_LENGTH)) : value;
    }),
  };
}

/** The English sentence without its text, as the API and receivers of webhooks get it. */
export function withoutText<Told extends { readonly text?: StoredText }>({
  text: _,
  ...told
}: Told): Omit<Told, 'text'> {
  return told;
}

/**
 * The text in these words.
 *
 * @param otherwise the sentence if there is no text, or this version has none of its name
 */
export function tellStored(text: StoredText | undefined, words: Words, otherwise: string): string {
  return (text && sentenceOf(text, words)) ?? otherwise;
}

/** The text as the API and logs have it. */
export function inEnglish(text: StoredText): string {
  return tellStored(text, ENGLISH.words, text.name);
}

function sentenceOf({ name, values }: StoredText, words: Words): string | undefined {
  const reason = (of: string) => meaningOf(words, of);
  const { verdicts, files, deliveries } = words;
  const text: unknown = [{ reason }, deliveries, files, verdicts].map((texts) => memberOf(texts, name)).find(Boolean);
  if (typeof text !== 'function') return typeof text === 'string' ? text : undefined;
  const told = values.map((value) => (typeof value === 'object' ? sentenceOf(value, words) : value));
  const sentence: unknown = told.includes(undefined) ? undefined : text(...told);
  return typeof sentence === 'string' ? sentence : undefined;
}

/** The meaning of a reason to drop a hit, or to leave a row out; `undefined` of one that this version does not know. */
export function meaningOf({ reasons }: Words, reason: string): string | undefined {
  const known = memberOf(reasons, reason);
  return known?.meaning;
}

/** A member by a name that may be of another version. Large files tell many texts, so nothing is copied. */
function memberOf<Texts extends object>(texts: Texts, name: string): Texts[keyof Texts] | undefined {
  return Object.hasOwn(texts, name) ? texts[name as keyof Texts] : undefined;
}
