import { readWebUrl } from '../base/url.ts';
import { DIMENSION_TABLE, type Dimension } from '../hits/dimensions.ts';
import { hostOf } from '../hits/page-url.ts';
import { type Comparator, type Filter, spelledAsStored } from '../visits/filters.ts';
import { formatValue, readablePath } from './values.ts';

/** A filter as a sentence: `Country` `is not` `Germany` or `France`. */
export interface FilterWords {
  readonly subject: string;
  readonly relation: string;
  /** Any of these. They are not escaped. */
  readonly values: readonly string[];
}

/** The words between the subject of a filter and its values. */
export const RELATIONS: Readonly<Record<Comparator, { readonly is: string; readonly isNot: string }>> = {
  is: { is: 'is', isNot: 'is not' },
  contains: { is: 'contains', isNot: 'does not contain' },
  like: { is: 'is like', isNot: 'is not like' },
};

/** @param goals the names of the website's goals by their ids */
export function formatFilter(filter: Filter, goals: ReadonlyMap<string, string>): FilterWords {
  const comparator = filter.kind === 'goal' ? 'is' : filter.comparator;
  const relation = RELATIONS[comparator][filter.isNegated ? 'isNot' : 'is'];
  switch (filter.kind) {
    case 'goal':
      return { subject: 'Goal', relation, values: filter.goals.map((id) => goals.get(id) ?? 'a deleted goal') };
    case 'property':
      return {
        subject: `Property ${filter.property}`,
        relation,
        values: filter.values.map((value) => value ?? 'empty'),
      };
    case 'dimension': {
      const { dimension, values } = filter;
      const format = (value: string | null) =>
        comparator === 'is' || value === null ? formatValue(dimension, value) : formatPart(dimension, value);
      return { subject: DIMENSION_TABLE[dimension].words.one, relation, values: values.map(format) };
    }
  }
}

/** A filter as one string: `Country is not Germany or France`. */
export function filterSentence(filter: Filter, goals: ReadonlyMap<string, string>): string {
  return sentenceOf(formatFilter(filter, goals));
}

/** The words of a filter as one string. */
export function sentenceOf({ subject, relation, values }: FilterWords): string {
  return `${subject} ${relation} ${values.join(' or ')}`;
}

/** A part or a pattern of values: names of countries and the like do not apply to it. */
function formatPart(dimension: Dimension, value: string): string {
  return DIMENSION_TABLE[dimension].readAs === 'path' ? readablePath(value) : value;
}

/**
 * The stored form of something that a person typed: a value, or a part or pattern of values. `Germany` is `DE`, `/über` is
 * `/%C3%BCber`, and the word for no value is the empty string. Anything else is unchanged.
 */
export function readTypedValue(dimension: Dimension, comparator: Comparator, typed: string): string {
  const { readAs, values } = DIMENSION_TABLE[dimension];
  if (readAs === 'path')
    return isNone(dimension, comparator, typed) ? '' : spelledAsStored(dimension, encodeLetters(typed));
  if (comparator !== 'is') return typed;
  if (isNone(dimension, comparator, typed)) return '';
  const folded = typed.toLowerCase();
  if (values !== undefined) return values.find((value) => value.toLowerCase() === folded) ?? typed;
  if (readAs === 'region' || readAs === 'language') return codesOf(dimension).get(folded) ?? typed;
  return readAs === 'host' ? hostNamed(typed) : typed;
}

function isNone(dimension: Dimension, comparator: Comparator, typed: string): boolean {
  return comparator === 'is' && typed.toLowerCase() === DIMENSION_TABLE[dimension].words.none.toLowerCase();
}

/** Paths are stored as browsers send them: letters beyond ASCII, and spaces, are escaped. A lone surrogate cannot be. */
function encodeLetters(typed: string): string {
  return typed.replace(/[^\x21-\x7e\p{Cs}]+/gu, (letters) => encodeURIComponent(letters));
}

function hostNamed(typed: string): string {
  const url = readWebUrl(`http://${typed}`);
  // Nothing has a value that is not a host.
  return url === undefined ? typed : hostOf(url);
}

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => `${first}${second}`));
const codes = new Map<Dimension, ReadonlyMap<string, string>>();

/** The codes of two letters that are in use, by their names and by themselves, in lower case. */
function codesOf(dimension: Dimension): ReadonlyMap<string, string> {
  const known = codes.get(dimension);
  if (known !== undefined) return known;
  const isRegion = DIMENSION_TABLE[dimension].readAs === 'region';
  // `DD` has the name of `DE`, which replaced it.
  const inUse = PAIRS.map((pair) => new Intl.Locale(isRegion ? `und-${pair}` : pair.toLowerCase()))
    .map((locale) => (isRegion ? locale.region : locale.language) ?? '')
    .filter((code) => code !== '');
  const map = new Map(
    inUse.flatMap((code) => [
      [code.toLowerCase(), code] as const,
      [formatValue(dimension, code).toLowerCase(), code] as const,
    ]),
  );
  codes.set(dimension, map);
  return map;
}
