import { type Comparison, comparedPeriod, type Day, type TimeZone } from '@hitherto/domain/calendar';
import { comparisonSentence, type Figures, figuresOf } from '@hitherto/domain/format';
import { isNothing, type ShownOverview } from '@hitherto/domain/reading';
import type { Locale } from '@hitherto/words';
import { COMPARED, hrefOf, type Selection } from './selection.ts';

/** What the five numbers are compared with. */
export interface ComparisonView {
  readonly sentence: string;
  /** `undefined` where nothing can be compared. */
  readonly figures: Figures | undefined;
}

/** The comparison that a page makes; `undefined` where nothing was counted then, and where none is asked for. */
export function makeComparison(
  locale: Locale,
  { compare }: Selection,
  { totals, days }: ShownOverview['previous'],
  zone: TimeZone,
  today: Day,
): ComparisonView | undefined {
  if (compare === 'none' || isNothing(totals)) return undefined;
  return {
    sentence: comparisonSentence(locale, days, zone, today),
    figures: days.isUneven ? undefined : figuresOf(totals),
  };
}

/** The comparison whose numbers are read. */
export function comparisonOf({ compare }: Selection): Comparison {
  return compare === 'none' ? 'previous' : compare;
}

/** A choice of the menu of comparisons. */
export interface ComparisonLink {
  readonly name: string;
  readonly href: string;
  readonly isChosen: boolean;
}

/** The choices of the menu; none where nothing can have been counted before. */
export function comparisonLinks(
  { words }: Locale,
  path: string,
  selection: Selection,
  firstDay: Day | undefined,
): ComparisonLink[] {
  const isCounted = (comparison: Comparison) =>
    firstDay === undefined || comparedPeriod(selection, comparison).to >= firstDay;
  // All other days to compare with are before the previous ones.
  if (!isCounted('previous')) return [];
  return COMPARED.filter((each) => each === 'none' || each === selection.compare || isCounted(each)).map((each) => ({
    name: words.statistics.comparisons[each],
    href: hrefOf(path, { ...selection, compare: each }),
    isChosen: each === selection.compare,
  }));
}
