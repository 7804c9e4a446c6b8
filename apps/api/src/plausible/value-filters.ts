import { compilePattern, type DimensionFilter, type Filter, foldAscii, spelledAsStored } from '@hitherto/domain/visits';
import { InvalidQuery, stringOf, stringsOf } from './invalid-query.ts';
import { NONE, PLAUSIBLE_DIMENSIONS, toOurs } from './words.ts';

/** A formula in conjunctive form: every clause must have a filter that matches. */
export type Clauses = readonly (readonly Filter[])[];

const MAX_VALUES = 100;

/**
 * The clauses of a filter by values of a dimension or property.
 *
 * @param kind the operator without `_not`
 */
export function valueClauses(
  kind: string,
  subject: unknown,
  [values, modifiers]: readonly unknown[],
  isNegated: boolean,
): Clauses {
  const isContains = kind !== 'is';
  const texts = stringsOf(values, 'filters');
  checkCount(texts);
  const folds = foldsCase(kind, texts, modifiers);
  const comparator = isContains ? (folds ? 'contains' : 'like') : 'is';
  const patternOf = kind === 'contains' ? containing : wildcards;
  const name = stringOf(subject, 'The dimension of a filter');
  const [, property] = /^event:props:(.+)$/su.exec(name) ?? [];
  const known = PLAUSIBLE_DIMENSIONS.get(name);
  if (property !== undefined) {
    const stored = texts.map((text) => (text === '' || text === NONE ? null : text));
    return [[{ kind: 'property', property, comparator, isNegated, values: compared(stored, comparator, patternOf) }]];
  }
  if (known === undefined) {
    throw new InvalidQuery(`The dimension "${name.slice(0, 40)}" is not supported in filters.`);
  }
  const { dimension, words } = known;
  const ours = texts
    .map((text) => (isContains ? text : toOurs(known, text)))
    .map((value) => value && spelledAsStored(dimension, value));
  const own: DimensionFilter = {
    kind: 'dimension',
    dimension,
    comparator,
    isNegated,
    values: compared(ours, comparator, patternOf),
  };
  if (!isContains || words === undefined) return [[own]];
  const fold = folds ? foldAscii : asItIs;
  const matchers = texts.map((text) => compilePattern(patternOf(fold(text))));
  return withWords(own, words, (text) => matchers.some((matches) => matches(fold(text))));
}

/** @throws InvalidQuery unless a filter may have this many values */
export function checkCount({ length }: readonly unknown[]): void {
  if (length === 0 || length > MAX_VALUES) throw new InvalidQuery(`A filter must have 1 to ${MAX_VALUES} values.`);
}

/** The clauses of a filter by parts of values: values that have another name in Plausible are compared by that name. */
function withWords(
  own: DimensionFilter,
  words: ReadonlyMap<string, string>,
  matches: (text: string) => boolean,
): Clauses {
  const { dimension, isNegated } = own;
  const isOneOf = (chosen: readonly [string, string][], negated: boolean): Filter[] => {
    const values = chosen.map(([ours]) => ours);
    return values.length === 0 ? [] : [{ kind: 'dimension', dimension, comparator: 'is', isNegated: negated, values }];
  };
  const byName = [...words].filter(([, theirs]) => matches(theirs));
  const byOurs = [...words].filter(([ours, theirs]) => matches(ours) && !matches(theirs));
  const chosen = [own, ...isOneOf(byName, isNegated)];
  const others = isOneOf(byOurs, !isNegated);
  // A visit has one value: it matches itself or by its name, and is not one of the other values.
  return isNegated ? chosen.map((filter) => [filter, ...others]) : [chosen, ...others.map((filter) => [filter])];
}

/** Values for a comparison: a pattern where case matters. */
function compared(
  values: readonly (string | null)[],
  comparator: 'is' | 'contains' | 'like',
  patternOf: (text: string) => string,
): (string | null)[] {
  if (comparator !== 'is' && values.includes(null)) throw new InvalidQuery('The value of "contains" is empty.');
  if (comparator !== 'like') return [...values];
  return values.map((value) => patternOf(value ?? ''));
}

/** The pattern of values with this string in them. */
function containing(text: string): string {
  return `*${text.replaceAll(/[\\*]/g, '\\$&')}*`;
}

/** The pattern of a string in which only `*` is special. */
export function wildcards(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

export function asItIs(text: string): string {
  return text;
}

/** Whether a filter compares without case, which folds only A to Z. */
export function foldsCase(kind: unknown, texts: readonly string[], modifiers: unknown): boolean {
  if (modifiers === undefined) return false;
  const { case_sensitive: isSensitive, ...others }: Record<string, unknown> = Object(modifiers);
  if (Object.keys(others).length > 0 || (isSensitive !== undefined && typeof isSensitive !== 'boolean')) {
    throw new InvalidQuery('The only modifier of a filter is "case_sensitive".');
  }
  if (isSensitive !== false) return false;
  if (kind !== 'contains') throw new InvalidQuery('"case_sensitive": false is only supported with "contains".');
  if (texts.some((text) => /[^\x20-\x7e]/.test(text))) {
    throw new InvalidQuery('"case_sensitive": false is only supported for values in ASCII.');
  }
  return true;
}
