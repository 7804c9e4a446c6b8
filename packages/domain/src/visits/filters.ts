import { normalizeEscapes } from '../base/url.ts';
import { DIMENSION_TABLE, type Dimension } from '../hits/dimensions.ts';
import { type HidingRule, isOnDay } from './hiding.ts';
import { compilePattern, compileRule, foldAscii, type HitRule, propertyText } from './rules.ts';
import { valuesOf } from './values.ts';
import type { Visit } from './visits.ts';

/** How a filter compares. Each of the three has a negation, which chooses all other visits. */
export type Comparator = 'is' | 'contains' | 'like';

interface ValueComparison {
  readonly comparator: Comparator;
  readonly isNegated: boolean;
  /** Any of these; `null` stands for none, only with `is`. */
  readonly values: readonly (string | null)[];
}

/** Chooses visits by the values that they have of a dimension. */
export interface DimensionFilter extends ValueComparison {
  readonly kind: 'dimension';
  readonly dimension: Dimension;
}

/** Chooses visits by the values of a property of any of their events, compared as strings. */
export interface PropertyFilter extends ValueComparison {
  readonly kind: 'property';
  readonly property: string;
}

/** Chooses visits that reach any of these goals. A goal that does not exist is never reached. */
export interface GoalFilter {
  readonly kind: 'goal';
  readonly isNegated: boolean;
  /** Ids in lower case. */
  readonly goals: readonly string[];
}

/** Chooses visits of exactly one pageview and no event, or visits with more. */
export interface BounceFilter {
  readonly kind: 'bounce';
  readonly isNegated: boolean;
  /** Any of these: `1` for bounces, `0` for others. */
  readonly values: readonly Bounce[];
}

export const BOUNCES = ['1', '0'] as const;
export type Bounce = (typeof BOUNCES)[number];

/** Chooses visits; with `isNegated`, all other visits (api.md, "Filters"). */
export type Filter = DimensionFilter | PropertyFilter | GoalFilter | BounceFilter;

/** Chooses the visits that any of these rules hides. No request has it: reads add it themselves. */
export interface HiddenFilter {
  readonly kind: 'hidden';
  readonly isNegated: boolean;
  readonly rules: readonly HidingRule[];
}

/** Whether a visit must match all filters of a set, or any. */
export const MATCHES = ['all', 'any'] as const;
export type Match = (typeof MATCHES)[number];

/** Filters, all or any of which must match. */
export interface FilterSet {
  readonly match: Match;
  /** Never empty. */
  readonly filters: readonly Filter[];
}

/** By what engines choose visits: filters, and rules that hide visits. */
export interface VisitSet {
  readonly match: Match;
  readonly filters: readonly (Filter | HiddenFilter)[];
}

/** A value, or a part or pattern of values, in the spelling of stored ones. */
export function spelledAsStored(dimension: Dimension, value: string): string {
  return DIMENSION_TABLE[dimension].readAs === 'path' ? normalizeEscapes(value) : value;
}

/** A filter by one value of a dimension; `null` stands for none. */
export function valueFilter(dimension: Dimension, value: string | null): DimensionFilter {
  return { kind: 'dimension', dimension, comparator: 'is', isNegated: false, values: [value] };
}

/** A set of filters all of which must match; no set without filters. */
export function allOf(filters: readonly Filter[]): readonly FilterSet[] {
  return filters.length === 0 ? [] : [{ match: 'all', filters }];
}

/** The bounds of a request, and of a segment (api.md, "Filters"). Lengths are in code points. */
export const FILTER_LIMITS = { filters: 10, values: 20, valueLength: 2_000, propertyLength: 40 } as const;

/** The rules of goals by their ids. */
export type GoalRules = ReadonlyMap<string, HitRule>;

/** Tells whether a visit is chosen. */
export type Choice = (visit: Visit) => boolean;

/**
 * Compiles filters: a visit is chosen where every set matches. A filter and its negation split all visits in two. This is
 * the definition that every engine is compared with.
 */
export function compileFilters(sets: readonly VisitSet[], goals: GoalRules): Choice {
  const compiled = sets.map((set) => compileSet(set, goals));
  return (visit) => compiled.every((isChosen) => isChosen(visit));
}

function compileSet({ match, filters }: VisitSet, goals: GoalRules): Choice {
  const choices = filters.map((filter) => compileFilter(filter, goals));
  return (visit: Visit) =>
    match === 'all' ? choices.every((isChosen) => isChosen(visit)) : choices.some((isChosen) => isChosen(visit));
}

function compileFilter(filter: Filter | HiddenFilter, goals: GoalRules): Choice {
  const matches = compilePositive(filter, goals);
  return filter.isNegated ? (visit) => !matches(visit) : matches;
}

function compilePositive(filter: Filter | HiddenFilter, goals: GoalRules): Choice {
  switch (filter.kind) {
    case 'dimension': {
      const hasValue = compileComparison(filter);
      return (visit) => hasValue(valuesOf(visit, filter.dimension).filter((value) => value !== null));
    }
    case 'property': {
      const hasValue = compileComparison(filter);
      return (visit) => hasValue(propertyValuesOf(visit, filter.property));
    }
    case 'goal': {
      const rules = filter.goals.flatMap((id) => goals.get(id) ?? []).map(compileRule);
      return (visit) => visit.hits.some((hit) => rules.some((isFulfilled) => isFulfilled(hit)));
    }
    case 'bounce':
      return ({ bounce }) => filter.values.includes(bounce ? '1' : '0');
    case 'hidden': {
      const rules = filter.rules.map((rule) => ({ rule, isChosen: compileSet(rule, goals) }));
      // What a cleanup hides must not change with the rules that show pages.
      return (visit) => rules.some(({ rule, isChosen }) => isOnDay(rule, visit.day) && isChosen(visit.stored ?? visit));
    }
  }
}

/** The different values that a visit's events have of a property. An empty one counts as none. */
function propertyValuesOf(visit: Visit, property: string): string[] {
  const values = visit.hits.flatMap(({ name, props }) => (name === null ? [] : (propertyText(props, property) ?? [])));
  return [...new Set(values)].filter((value) => value !== '');
}

/** Compiles a comparison with the values that a visit has, `null` left out. Any of them may match; no value is `null`. */
export function compileComparison({
  comparator,
  values: wanted,
}: ValueComparison): (values: readonly string[]) => boolean {
  const texts = wanted.filter((value) => value !== null);
  switch (comparator) {
    case 'is': {
      const set = new Set(texts);
      const isNoneWanted = wanted.includes(null);
      return (values) => (values.length === 0 ? isNoneWanted : values.some((value) => set.has(value)));
    }
    case 'contains': {
      const folded = texts.map(foldAscii);
      return (values) => values.map(foldAscii).some((value) => folded.some((text) => value.includes(text)));
    }
    case 'like': {
      const matchers = texts.map(compilePattern);
      return (values) => values.some((value) => matchers.some((matches) => matches(value)));
    }
  }
}
