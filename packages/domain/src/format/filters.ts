import { ENGLISH, type Locale } from '@hitherto/words';
import { readWebUrl } from '../base/url.ts';
import { DIMENSION_TABLE, type Dimension } from '../hits/dimensions.ts';
import { hostOf } from '../hits/page-url.ts';
import { BOUNCES, type Comparator, type Filter, spelledAsStored } from '../visits/filters.ts';
import { formatValue, readablePath } from './values.ts';

/** A filter as a sentence: `Country` `is not` `Germany` or `France`. */
export interface FilterWords {
  readonly subject: string;
  readonly relation: string;
  /** Any of these. They are not escaped. */
  readonly values: readonly string[];
}

/** The words between the subject of a filter and its values. */
export function relationOf({ words: { filters } }: Locale, comparator: Comparator, isNegated: boolean): string {
  switch (comparator) {
    case 'is':
      return isNegated ? filters.isNot : filters.is;
    case 'contains':
      return isNegated ? filters.containsNot : filters.contains;
    case 'like':
      return isNegated ? filters.isNotLike : filters.isLike;
  }
}

/** @param goals the names of the website's goals by their ids */
export function formatFilter(locale: Locale, filter: Filter, goals: ReadonlyMap<string, string>): FilterWords {
  const comparator = 'comparator' in filter ? filter.comparator : 'is';
  const relation = relationOf(locale, comparator, filter.isNegated);
  const { filters, dimensions } = locale.words;
  switch (filter.kind) {
    case 'goal':
      return {
        subject: filters.goal,
        relation,
        values: filter.goals.map((id) => goals.get(id) ?? filters.deletedGoal),
      };
    case 'bounce':
      return {
        subject: filters.bounce,
        relation,
        values: filter.values.map((value) => filters.bounces[value]),
      };
    case 'property':
      return {
        subject: filters.property(filter.property),
        relation,
        values: filter.values.map((value) => value ?? filters.empty),
      };
    case 'dimension': {
      const { dimension, values } = filter;
      const format = (value: string | null) =>
        comparator === 'is' || value === null ? formatValue(locale, dimension, value) : formatPart(dimension, value);
      return { subject: dimensions[dimension].one, relation, values: values.map(format) };
    }
  }
}

/** The stored form of what a person typed for a bounce: `yes` is `1`. Anything else is unchanged. */
export function readTypedBounce({ words }: Locale, typed: string): string {
  return BOUNCES.find((value) => words.filters.bounces[value] === typed.toLowerCase()) ?? typed;
}

/** A filter as one string: `Country is not Germany or France`. */
export function filterSentence(locale: Locale, filter: Filter, goals: ReadonlyMap<string, string>): string {
  return sentenceOf(locale, formatFilter(locale, filter, goals));
}

/** The words of a filter as one string. */
export function sentenceOf({ words: { filters } }: Locale, { subject, relation, values }: FilterWords): string {
  return `${subject} ${relation} ${values.join(` ${filters.or} `)}`;
}

/** A part or a pattern of values: names of countries and the like do not apply to it. */
function formatPart(dimension: Dimension, value: string): string {
  return DIMENSION_TABLE[dimension].readAs === 'path' ? readablePath(value) : value;
}

/**
 * The stored form of something that a person typed: a value, or a part or pattern of values. `Germany` is `DE`, `/über` is
 * `/%C3%BCber`, and the word for no value is the empty string. Anything else is unchanged.
 */
export function readTypedValue(locale: Locale, dimension: Dimension, comparator: Comparator, typed: string): string {
  const { readAs, values } = DIMENSION_TABLE[dimension];
  if (readAs === 'path')
    return isNone(locale, dimension, comparator, typed) ? '' : spelledAsStored(dimension, encodeLetters(typed));
  if (comparator !== 'is') return typed;
  if (isNone(locale, dimension, comparator, typed)) return '';
  const folded = typed.toLowerCase();
  // People know English names, too; those of the page come first.
  const told = [locale, ENGLISH];
  if (values !== undefined) {
    const isMeant = (value: string) =>
      [value, ...told.map((each) => formatValue(each, dimension, value))].some((name) => name.toLowerCase() === folded);
    return values.find(isMeant) ?? typed;
  }
  if (readAs === 'region' || readAs === 'language') {
    return told.map((each) => codesOf(each, dimension).get(folded)).find((code) => code !== undefined) ?? typed;
  }
  return readAs === 'host' ? hostNamed(typed) : typed;
}

function isNone(locale: Locale, dimension: Dimension, comparator: Comparator, typed: string): boolean {
  return comparator === 'is' && typed.toLowerCase() === locale.words.dimensions[dimension].none.toLowerCase();
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
/** By the language, then the dimension. */
const codes = new Map<string, ReadonlyMap<string, string>>();

/** The codes of two letters that are in use, by their names and by themselves, in lower case. */
function codesOf(locale: Locale, dimension: Dimension): ReadonlyMap<string, string> {
  const key = `${locale.language} ${dimension}`;
  const known = codes.get(key);
  if (known !== undefined) return known;
  const isRegion = DIMENSION_TABLE[dimension].readAs === 'region';
  // `DD` has the name of `DE`, which replaced it.
  const inUse = PAIRS.map((pair) => new Intl.Locale(isRegion ? `und-${pair}` : pair.toLowerCase()))
    .map((tag) => (isRegion ? tag.region : tag.language) ?? '')
    .filter((code) => code !== '');
  const map = new Map(
    inUse.flatMap((code) => [
      [code.toLowerCase(), code] as const,
      [formatValue(locale, dimension, code).toLowerCase(), code] as const,
    ]),
  );
  codes.set(key, map);
  return map;
}
