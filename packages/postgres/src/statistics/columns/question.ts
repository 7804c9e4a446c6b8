import type { TimeZone } from '@hitherto/domain/calendar';
import type { CountedGoal, StepNumbers } from '@hitherto/domain/engine';
import { type Dimension, OTHER_VALUES } from '@hitherto/domain/hits';
import type { FunnelRules } from '@hitherto/domain/visits';
import type { Counter, Tallied } from './counter.ts';
import { byDimension, byKey, byProperty, byPropertyNames, type Grouping, mapKeys } from './grouping.ts';
import { type ConversionNumbers, countFunnel, countGoal } from './questions.ts';
import { countHours, countTotals, type TotalsName } from './totals.ts';
import { countVisitors, type VisitorNumber } from './visitors.ts';

/** Something to count. */
export interface Question<Result> {
  /** A name that no other question has; without one, the answer is not cached. */
  readonly name?: string;
  counter(): Counter<Result>;
}

/** Numbers by value. Days, and the starts of hours in seconds, are values too. */
export type ByValue<Name extends string> = Tallied<string | null, Name>;

export const totalsOfDays: Question<ByValue<TotalsName>> = {
  name: 'days',
  counter: () => countTotals<string | null>(byKey(({ day }) => day)),
};

export function totalsOfHours(zone: TimeZone): Question<ByValue<TotalsName>> {
  return { name: `hours ${zone.name}`, counter: () => countHours(zone) };
}

/** The values of a dimension; of others than `kept` all together. */
export function totalsOf(dimension: Dimension, kept?: Values): Question<ByValue<TotalsName>> {
  if (kept !== undefined) return { counter: () => countTotals(foldedBy(dimension, kept)) };
  return { name: `totals ${dimension}`, counter: () => countTotals(byDimension(dimension)) };
}

export function visitorsOf(dimension: Dimension, kept?: Values): Question<ByValue<VisitorNumber>> {
  if (kept !== undefined) return { counter: () => countVisitors(foldedBy(dimension, kept)) };
  return { name: `visitors ${dimension}`, counter: () => countVisitors(byDimension(dimension)) };
}

type Values = ReadonlySet<string | null>;

function foldedBy(dimension: Dimension, kept: Values): Grouping<string | null> {
  return mapKeys(byDimension(dimension), (value) => (kept.has(value) ? value : OTHER_VALUES));
}

/** @param event of any events if it is absent */
export function totalsOfProperty(event: string | undefined, property: string): Question<ByValue<TotalsName>> {
  return {
    name: `property ${JSON.stringify([event, property])}`,
    counter: () => countTotals(byProperty({ event, property })),
  };
}

/** The lists of names that events have together, as JSON. */
export function propertyNamesOf(event: string): Question<ByValue<VisitorNumber>> {
  return { name: `names ${JSON.stringify(event)}`, counter: () => countVisitors(byPropertyNames(event)) };
}

export function numbersOfGoal(goal: Pick<CountedGoal, 'rule' | 'sum'>): Question<ConversionNumbers> {
  return { name: `goal ${JSON.stringify([goal.rule, goal.sum])}`, counter: () => countGoal(goal) };
}

export function stepsOf(funnel: FunnelRules): Question<readonly StepNumbers[]> {
  return { name: `funnel ${JSON.stringify(funnel)}`, counter: () => countFunnel(funnel) };
}
