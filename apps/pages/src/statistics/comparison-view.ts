import { type Day, formatWithOffset, isNothing, type ShownOverview, type TimeZone } from '@hitherto/domain';
import { type Figures, figuresOf, formatPeriodSeenOn } from '@hitherto/domain/format';

/** What the five numbers are compared with. */
export interface ComparisonView {
  /** `Compared with 31 Oct, until 14:05.`, or `Compared with 4 Oct to 31 Oct at 14:05.` */
  readonly sentence: string;
  /** `undefined` where nothing can be compared. */
  readonly figures: Figures | undefined;
}

/** The comparison with the days before; `undefined` where nothing was counted then. */
export function makeComparison(
  { totals, days: { from, to, until, isUneven } }: ShownOverview['previous'],
  zone: TimeZone,
  today: Day,
): ComparisonView | undefined {
  if (isNothing(totals)) return undefined;
  if (isUneven) {
    const day = formatPeriodSeenOn(today, to, to);
    return { sentence: `Not compared: the hours of ${day} are not known.`, figures: undefined };
  }
  const time = until && formatWithOffset(zone, until).slice(11, 16);
  const end = time === undefined ? '' : from === to ? `, until ${time}` : ` at ${time}`;
  return { sentence: `Compared with ${formatPeriodSeenOn(today, from, to)}${end}.`, figures: figuresOf(totals) };
}
