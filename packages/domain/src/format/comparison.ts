import type { Day } from '../calendar/days.ts';
import { formatWithOffset, type TimeZone } from '../calendar/time-zone.ts';
import type { ComparedDays } from '../reading/compare.ts';
import { formatPeriodSeenOn } from './values.ts';

/**
 * What a period is compared with, or why it is not: `Compared with 31 Oct, until 14:05.`, or
 * `Compared with 4 Oct to 31 Oct at 14:05.`
 */
export function comparisonSentence({ from, to, until, isUneven }: ComparedDays, zone: TimeZone, today: Day): string {
  if (isUneven) return `Not compared: the hours of ${formatPeriodSeenOn(today, to, to)} are not known.`;
  const time = until && formatWithOffset(zone, until).slice(11, 16);
  const end = time === undefined ? '' : from === to ? `, until ${time}` : ` at ${time}`;
  return `Compared with ${formatPeriodSeenOn(today, from, to)}${end}.`;
}
