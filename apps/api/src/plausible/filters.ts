import type { Definition } from '@hitherto/domain/definitions';
import {
  compileComparison,
  compilePattern,
  type Filter,
  type FilterSet,
  foldAscii,
  isOfMeasures,
} from '@hitherto/domain/visits';
import { InvalidQuery, listOf, stringOf, stringsOf } from './invalid-query.ts';
import { asItIs, type Clauses, checkCount, foldsCase, valueClauses, wildcards } from './value-filters.ts';
import { NONE } from './words.ts';

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
interface RowFilter {
  readonly dimension: string;
  readonly matches: (value: string) => boolean;
}

const MAX_LITERALS = 200;
const MAX_DEPTH = 8;
const OPERATORS = ['is', 'is_not', 'contains', 'contains_not', 'matches_wildcard', 'matches_wildcard_not'];

/** Translates the filters of a query; they all choose visits (api.md, "Filters"). */
export function translateFilters(sent: unknown, named: Named, dimensions: readonly string[]): TranslatedFilters {
  const sets: FilterSet[] = [];
  const ofDivisor: FilterSet[] = [];
  const goals: Definition<'goal'>[] = [];
  const ofRows: RowFilter[] = [];
  let isByEvent = false;
  for (const filter of listOf(sent ?? [], 'filters')) {
    const [operator, subject, ...rest] = listOf(filter, 'filters');
    if (operator === 'is' && subject === 'segment') {
      const chosen = segmentsOf(rest[0], named);
      sets.push(...chosen);
      ofDivisor.push(...chosen);
      isByEvent ||= chosen.some(({ filters }) => filters.some(isOfEvent));
      continue;
    }
    const clauses = clausesOf(filter, false, named, 1);
    const own = setsOf(clauses);
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

/** Whether a visit can have hits for which the filter is false. */
function isOfEvent(filter: Filter): boolean {
  return filter.kind !== 'dimension' || filter.dimension === 'page' || filter.dimension === 'event';
}

/** A negated filter leaves no visit that has other rows. */
function rowFilterOf(dimension: string | undefined, filter: Filter | undefined): RowFilter | undefined {
  if (dimension === undefined || filter === undefined || !('comparator' in filter) || filter.isNegated)
    return undefined;
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
    const parts = listOf(subject, operator).map((part) => clausesOf(part, isNegated, named, depth + 1));
    if (parts.length === 0) throw new InvalidQuery(`The filter "${operator}" is empty.`);
    return (operator === 'and') === isNegated ? parts.reduce(either) : parts.flat();
  }
  return comparisonOf(stringOf(operator, 'The operator of a filter'), subject, rest, isNegated, named);
}

function comparisonOf(
  operator: string,
  subject: unknown,
  rest: readonly unknown[],
  flips: boolean,
  named: Named,
): Clauses {
  if (!OPERATORS.includes(operator)) {
    throw new InvalidQuery(
      `The operator "${operator.slice(0, 40)}" is not supported. The operators are ${OPERATORS.join(', ')}.`,
    );
  }
  const isNegated = operator.endsWith('_not') !== flips;
  if (subject !== 'event:goal') return valueClauses(operator.replace(/_not$/, ''), subject, rest, isNegated);
  return [[{ kind: 'goal', isNegated, goals: goalsOf(operator, rest, named).map(({ id }) => id) }]];
}

/** The clauses as sets of filters, which must all match. */
function setsOf(clauses: Clauses): FilterSet[] {
  return clauses.map((filters) => ({ match: 'any', filters }));
}

/** Either of two formulas. */
function either(left: Clauses, right: Clauses): Clauses {
  if (left.length * right.length > MAX_LITERALS) throw tooMany();
  return left.flatMap((one) => right.map((other) => [...one, ...other]));
}

function goalsOf(operator: unknown, [values, modifiers]: readonly unknown[], { goals }: Named): Definition<'goal'>[] {
  const names = stringsOf(values, 'filters');
  checkCount(names);
  const fold = foldsCase(operator, names, modifiers) ? foldAscii : asItIs;
  if (operator === 'contains') return goals.filter(({ name }) => names.some((text) => fold(name).includes(fold(text))));
  if (operator === 'matches_wildcard') {
    return goals.filter(({ name }) => names.some((text) => compilePattern(wildcards(text))(name)));
  }
  if (operator !== 'is') throw new InvalidQuery('The operator of a filter by "event:goal" must be "is" or "contains".');
  return names.map((name) => {
    const goal = goals.find((known) => known.name === name) ?? goals.find((known) => pageGoalOf(known) === name);
    if (goal === undefined)
      throw new InvalidQuery('The site has no goal with this name. Goals are managed in its settings.');
    return goal;
  });
}

/** The name of a goal that is a page, as Plausible makes it. */
function pageGoalOf({ content: { rule } }: Definition<'goal'>): string | undefined {
  return 'page' in rule && !isOfMeasures(rule) ? `Visit ${rule.page}` : undefined;
}

/** The filters of one segment, or of any of several. */
function segmentsOf(values: unknown, { segments }: Named): FilterSet[] {
  const sent = listOf(values, 'filters');
  checkCount(sent);
  const chosen = sent.map((value): Clauses => {
    const segment = segments.find(({ id, name }) => id === value || name === value);
    if (segment === undefined) throw new InvalidQuery('The site has no segment with this id or name.');
    const { match, filters } = segment.content;
    return match === 'any' ? [filters] : filters.map((filter) => [filter]);
  });
  return setsOf(chosen.reduce(either));
}

function tooMany(): InvalidQuery {
  return new InvalidQuery('There are too many filters, or too many combinations of them.');
}
