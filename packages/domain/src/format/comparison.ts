import type { Locale } from '@hitherto/words';
import type { Day } from '../calendar/days.ts';
import { formatWithOffset, type TimeZone } from '../calendar/time-zone.ts';
import type { ComparedDays } from '../reading/compare.ts';

/**
 * What a period is compared with, or why it is not: `Compared with 31 Oct, until 14:05.`, or
 * `Compared with 4 Oct to 31 Oct at 14:05.`
 */
export function comparisonSentence(
  { words: { figures }, format }: Locale,
  { from, to, until, isUneven }: ComparedDays,
  zone: TimeZone,
  today: Day,
): string {
  if (isUneven) return figures.notCompared(format.periodSeenOn(today, to, to));
  const period = format.periodSeenOn(today, from, to);
  if (until === undefined) return figures.compared(period);
  return figures.comparedUntil(period, formatWithOffset(zone, until).slice(11, 16), from === to);
}
