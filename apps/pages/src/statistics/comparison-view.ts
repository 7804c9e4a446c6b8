import { type Day, isNothing, type ShownOverview, type TimeZone } from '@hitherto/domain';
import { comparisonSentence, type Figures, figuresOf } from '@hitherto/domain/format';

/** What the five numbers are compared with. */
export interface ComparisonView {
  readonly sentence: string;
  /** `undefined` where nothing can be compared. */
  readonly figures: Figures | undefined;
}

/** The comparison with the days before; `undefined` where nothing was counted then. */
export function makeComparison(
  { totals, days }: ShownOverview['previous'],
  zone: TimeZone,
  today: Day,
): ComparisonView | undefined {
  if (isNothing(totals)) return undefined;
  return {
    sentence: comparisonSentence(days, zone, today),
    figures: days.isUneven ? undefined : figuresOf(totals),
  };
}
