import { relationOf } from '@hitherto/domain/format';
import { DIMENSIONS, type Dimension } from '@hitherto/domain/hits';
import { type Comparator, OPERATORS } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';

// The choices of the forms that make filters, by the values of their fields.

/** Everything that a filter can be about: a dimension, a property of events that is named separately, goals, or bounces. */
export type FilterSubject = Dimension | 'property' | 'goal' | 'bounce';

export const FILTER_SUBJECTS: readonly FilterSubject[] = [...DIMENSIONS, 'property', 'goal'];

/** The operators of the API; the empty string is the filter without one. */
export const FILTER_OPERATORS: readonly string[] = ['', ...OPERATORS];

/** The subjects, in the order of the form, and their names for people. */
export function filterSubjects({ words }: Locale): readonly (readonly [subject: FilterSubject, name: string])[] {
  return [
    ...DIMENSIONS.map((dimension) => [dimension, words.dimensions[dimension].one] as const),
    ['property', words.filters.propertyOfEvent],
    ['goal', words.filters.goal],
    ['bounce', words.filters.bounce],
  ];
}

const MEANINGS: Readonly<Record<(typeof OPERATORS)[number], readonly [Comparator, isNegated: boolean]>> = {
  not: ['is', true],
  contains: ['contains', false],
  not_contains: ['contains', true],
  like: ['like', false],
  not_like: ['like', true],
};

/** The operators, and their names for people. */
export function filterOperators(locale: Locale): readonly (readonly [operator: string, name: string])[] {
  return [
    ['', relationOf(locale, 'is', false)],
    ...OPERATORS.map((operator) => [operator, relationOf(locale, ...MEANINGS[operator])] as const),
  ];
}
