import { RELATIONS } from '@hitherto/domain/format';
import { DIMENSION_TABLE, DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { OPERATORS } from '@hitherto/domain/visits';

// The choices of the forms that make filters, by the values of their fields.

/** Everything that a filter can be about: a dimension, a property of events that is named separately, or goals. */
export type FilterSubject = Dimension | 'property' | 'goal';

/** The subjects, in the order of the form, and their names for people. */
export const FILTER_SUBJECTS: readonly (readonly [subject: FilterSubject, name: string])[] = [
  ...DIMENSIONS.map((dimension) => [dimension, DIMENSION_TABLE[dimension].words.one] as const),
  ['property', 'Property of an event'],
  ['goal', 'Goal'],
];

const NAMES: Readonly<Record<(typeof OPERATORS)[number], string>> = {
  not: RELATIONS.is.isNot,
  contains: RELATIONS.contains.is,
  not_contains: RELATIONS.contains.isNot,
  like: RELATIONS.like.is,
  not_like: RELATIONS.like.isNot,
};

/** The operators of the API; the empty string is the filter without one. */
export const FILTER_OPERATORS: readonly (readonly [operator: string, name: string])[] = [
  ['', RELATIONS.is.is],
  ...OPERATORS.map((operator) => [operator, NAMES[operator]] as const),
];
