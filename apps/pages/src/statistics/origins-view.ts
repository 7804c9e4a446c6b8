import type { Interval } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import type { Dimension } from '@hitherto/domain/hits';
import { type AskedOfDays, daysWithout, IMPORT_FORMAT_NAMES, type ImportedPeriod } from '@hitherto/domain/imports';
import { dimensionsWithout } from '@hitherto/domain/visits';
import { ENGLISH } from '@hitherto/words';

/** Sentences on the days of a period that come from imports. */
export interface OriginsView {
  /** Which days these are. */
  readonly imported: string;
  /** The numbers that some of them lack, or why they are left out. */
  readonly without: string | undefined;
  /** Whether numbers of visitors can be upper bounds. */
  readonly hasBounds: boolean;
}

/**
 * The sentences below the chart.
 *
 * @param imported never empty
 * @param visits of the period, `null` if an import does not say how many
 */
export function makeOrigins(
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  interval: Interval,
  visits: number | null,
): OriginsView {
  const sums = daysWithout(imported, 'hits');
  return {
    imported: `${imported.map((period) => `${daysOf(period)} imported from ${IMPORT_FORMAT_NAMES[period.format]}`).join('; ')}.`,
    without: sums.length === 0 ? undefined : isOfHits(query) ? leftOut(sums) : unknownOf(sums, interval, visits),
    hasBounds: sums.length > 0 && !isOfHits(query),
  };
}

/** That a list lacks days, because their import has no such values. */
export function withoutDays(
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  asked: AskedOfDays,
): string | undefined {
  // Below the chart it says that all numbers lack them.
  const without = isOfHits(query) ? [] : daysWithout(imported, asked);
  return without.length === 0
    ? undefined
    : `Without ${without.map(daysOf).join(' and ')}: the import has none of them.`;
}

/** The same on a page of its own. */
export function withoutDaysOfList(
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  asked: AskedOfDays,
): string | undefined {
  return isOfHits(query) ? leftOut(daysWithout(imported, 'hits')) : withoutDays(imported, query, asked);
}

/** Filters choose visits, and rates of goals are of visits. */
function isOfHits({ filters, onlyHits = false }: StatisticsQuery): boolean {
  return filters.length > 0 || onlyHits;
}

function leftOut(sums: readonly ImportedPeriod[]): string | undefined {
  if (sums.length === 0) return undefined;
  const days = sums.map(daysOf).join(' and ');
  return `The numbers are without ${days}: only sums are known of these days, which filters and goals cannot select from.`;
}

function unknownOf(sums: readonly ImportedPeriod[], interval: Interval, visits: number | null): string {
  const missing = [...new Set(sums.flatMap(({ sums: known = [] }) => dimensionsWithout(known)))].map(namesOf);
  const days = sums.map(daysOf).join(' and ');
  const unknown = listOf([
    ...(visits === null ? ['visits'] : []),
    ...(interval === 'hour' ? ['hours'] : []),
    ...missing,
    'goals',
    'funnels',
  ]);
  return `Only sums are known of ${days}: these days have no ${unknown}.`;
}

function namesOf(dimension: Dimension): string {
  return ENGLISH.words.dimensions[dimension].many.toLowerCase();
}

function daysOf({ from, to }: ImportedPeriod): string {
  return ENGLISH.format.period(from, to, true);
}

function listOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
