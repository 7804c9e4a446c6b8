import type { Day, TimeZone } from '@hitherto/domain/calendar';
import { comparisonSentence, type Figures, figuresOf } from '@hitherto/domain/format';
import { isNothing, type ShownOverview } from '@hitherto/domain/reading';
import type { Locale } from '@hitherto/words';

/** What the five numbers are compared with. */
export interface ComparisonView {
  readonly sentence: string;
  /** `undefined` where nothing can be compared. */
  readonly figures: Figures | undefined;
}

/** The comparison with the days before; `undefined` where nothing was counted then. */
export function makeComparison(
  locale: Locale,
  { totals, days }: ShownOverview['previous'],
  zone: TimeZone,
  today: Day,
): ComparisonView | undefined {
  if (isNothing(totals)) return undefined;
  return {
    sentence: comparisonSentence(locale, days, zone, today),
    figures: days.isUneven ? undefined : figuresOf(totals),
  };
}
