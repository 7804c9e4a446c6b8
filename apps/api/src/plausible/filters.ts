import {
  compileComparison,
  compilePattern,
  type Definition,
  type DimensionFilter,
  type Filter,
  type FilterSet,
  foldAscii,
} from '@hitherto/domain';
import { InvalidQuery, listOf, stringsOf } from './invalid-query.ts';
import { NONE, PLAUSIBLE_DIMENSIONS, toOurs } from './words.ts';

/** The names that filters can use. */
export interface Named {
  readonly goals: readonly Definition<'goal'>[];
  readonly segments: readonly Definition<'segment'>[];
}

/** Filters in our words. */
export interface TranslatedFilters {
  readonly sets: readonly FilterSet[];
  /** The same without the filters at the top by goals and properties, for the divisor of conversion rates. */
  readonly ofDivisor: readonly FilterSet[];
  /** A filter is by something of an event: it chooses visits, whose hits all count. */
  readonly isByEvent: boolean;
  /** The goals of the filter by goals at the top, if there is one. */
  readonly goals: readonly Definition<'goal'>[];
  /** The filters at the top by pages or properties that the query also groups by. */
  readonly ofRows: readonly RowFilter[];
}

/** Chooses rows by their value of a dimension: the visits that a filter chooses have other values of it, too. */
export interface RowFilter {
  readonly dimension: string;
  readonly matches: (value: string) => boolean;
}

/** A formula in conjunctive form: every clause must have a filter that matches. */
type Clauses = readonly (readonly Filter[])[];

const MAX_LITERALS = 200;
const MAX_VALUES = 100;
const MAX_DEPTH = 8;
/** A visit that is chosen by no clause without filters. */
const OPERATORS = ['is', 'is_not', 'contains', 'contains_not', 'matches_wildcard', 'matches_wildcard_not'];

/** Translates the filters of a query; they all choose visits (statistics.md, "Filters"). */
export function translateFilters(sent: unknown, named: Named, dimensions: readonly string[]): TranslatedFilters {
  const sets: FilterSet[] = [];
  const ofDivisor: FilterSet[] = [];
  const goals: Definition<'goal'>[] = [];
  const ofRows: RowFilter[] = [];
  let isByEvent = false;
  for (const filter of listOf(sent ?? [], 'filters')) {
    const [operator, subject, ...rest] = listOf(filter, 'filters');
    if (operator === 'is' && subject === 'segment') {
      const chosen = segmentsOf(rest[0], named).map(({ content }) => content);
      sets.push(...chosen);
      ofDivisor.push(...chosen);
      continue;
    }
    const clauses = clausesOf(filter, false, named, 1);
    const own = clauses.map((filters): FilterSet => ({ match: 'any', filters }));
    sets.push(...own);
    const ofRow = rowFilterOf(
      dimensions.find((dimension) => dimension === subject),
      clauses[0]?.[0],
    );
    if (ofRow !== undefined) ofRows.push(ofRow);
    else isByEvent ||= JSON.stringify(filter).includes('"event:');
    if (subject === 'event:goal') goals.push(...goalsOf(operator, rest, named));
    else if (typeof subject !== 'string' || !subject.startsWith('event:props:')) ofDivisor.push(...own);
  }
  if (sets.reduce((count, { filters }) => count + filters.length, 0) > MAX_LITERALS) throw tooMany();
  return { sets, ofDivisor, isByEvent, goals, ofRows };
}

/** A negated filter leaves no visit that has other rows. */
function rowFilterOf(dimension: string | undefined, filter: Filter | undefined): RowFilter | undefined {
  if (dimension === undefined || filter === undefined || filter.kind === 'goal' || filter.isNegated) return undefined;
  if (filter.kind === 'dimension' && filter.dimension !== 'page') return undefined;
  const matches = compileComparison(filter);
  return { dimension, matches: (value) => matches(value === NONE ? [] : [value]) };
}

/** The clauses of a filter or of its negation. */
function clausesOf(sent: unknown, isNegated: boolean, named: Named, depth: number): Clauses {
  if (depth > MAX_DEPTH) throw new InvalidQuery('The filters are nested too deeply.');
  const [operator, subject, ...rest] = listOf(sent, 'filters');
  if (operator === 'not' || operator === 'has_not_done') return clausesOf(subject, !isNegated, named, depth + 1);
  // All filters choose visits, so a chosen visit has the goal or event.
  if (operator === 'has_done') return clausesOf(subject, isNegated, named, depth + 1);
  if (operator === 'and' || operator === 'or') {
    const parts = listOf(subject, String(operator)).map((part) => clausesOf(part, isNegated, named, depth + 1));
    if (parts.length === 0) throw new InvalidQuery(`The filter "${operator}" is empty.`);
    return (operator === 'and') === isNegated ? parts.reduce(either) : parts.flat();
  }
  return comparisonOf(String(operator), subject, rest, isNegated, named);
}

/** Either of two formulas. */
function either(left: Clauses, right: Clauses): Clauses {
  if (left.length * right.length > MAX_LITERALS) throw tooMany();
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

function comparisonOf(
  operator: string,
  subject: unknown,
  rest: readonly unknown[],
  flips: boolean,
  named: Named,
): Clauses {
  if (!OPERATORS.includes(operator)) {
    throw new InvalidQuery(`The operator "${operator}" is not supported. The operators are ${OPERATORS.join(', ')}.`);
  }
  const [values, modifiers] = rest;
  const kind = operator.replace(/_not$/, '');
  const isContains = kind !== 'is';
  const isNegated = operator.endsWith('_not') !== flips;
  if (subject === 'event:goal') {
    return [[{ kind: 'goal', isNegated, goals: goalsOf(operator, rest, named).map(({ id }) => id) }]];
  }
  const texts = stringsOf(values, 'filters');
  if (texts.length === 0 || texts.length > MAX_VALUES) {
    throw new InvalidQuery(`A filter must have 1 to ${MAX_VALUES} values.`);
  }
  const folds = foldsCase(kind, texts, modifiers);
  const comparator = isContains ? (folds ? 'contains' : 'like') : 'is';
  const patternOf = kind === 'contains' ? containing : wildcards;
  const [, property] = /^event:props:(.+)$/su.exec(String(subject)) ?? [];
  const known = PLAUSIBLE_DIMENSIONS.get(String(subject));
  if (property !== undefined) {
    const stored = texts.map((text) => (text === '' || text === NONE ? null : text));
    return [[{ kind: 'property', property, comparator, isNegated, values: compared(stored, comparator, patternOf) }]];
  }
  if (known === undefined) throw new InvalidQuery(`The dimension "${String(subject)}" is not supported in filters.`);
  const { dimension, words } = known;
  const ours = isContains ? texts : texts.map((text) => toOurs(known, text));
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
  // A visit has one value: it matches itself or by its name, and is not one of the others.
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
function wildcards(text: string): string {
  return text.replaceAll('\\', '\\\\');
}

function asItIs(text: string): string {
  return text;
}

/** Whether a filter compares without case, which folds only A to Z. */
function foldsCase(kind: unknown, texts: readonly string[], modifiers: unknown): boolean {
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

function goalsOf(operator: unknown, [values, modifiers]: readonly unknown[], { goals }: Named): Definition<'goal'>[] {
  const names = stringsOf(values, 'filters');
  const fold = foldsCase(operator, names, modifiers) ? foldAscii : asItIs;
  if (operator === 'contains') return goals.filter(({ name }) => names.some((text) => fold(name).includes(fold(text))));
  if (operator === 'matches_wildcard') {
    return goals.filter(({ name }) => names.some((text) => compilePattern(wildcards(text))(name)));
  }
  if (operator !== 'is') throw new InvalidQuery('A filter by "event:goal" is "is" or "contains".');
  return names.map((name) => {
    const goal = goals.find((known) => known.name === name) ?? goals.find((known) => pageGoalOf(known) === name);
    if (goal === undefined)
      throw new InvalidQuery('The site has no goal of this name. Goals are managed in its settings.');
    return goal;
  });
}

/** The name of a goal that is a page, as Plausible makes it. */
function pageGoalOf({ content: { rule } }: Definition<'goal'>): string | undefined {
  return 'page' in rule ? `Visit ${rule.page}` : undefined;
}

function segmentsOf(values: unknown, { segments }: Named): Definition<'segment'>[] {
  return listOf(values, 'filters').map((value) => {
    const segment = segments.find(({ id, name }) => id === value || name === value);
    if (segment === undefined) throw new InvalidQuery('The site has no segment with this id or name.');
    return segment;
  });
}

function tooMany(): InvalidQuery {
  return new InvalidQuery('The filters are too many, or too many in combination.');
}
