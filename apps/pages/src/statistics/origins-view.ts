import type { Interval } from '@hitherto/domain/calendar';
import type { StatisticsQuery } from '@hitherto/domain/engine';
import { type AskedOfDays, daysWithout, IMPORT_FORMAT_NAMES, type ImportedPeriod } from '@hitherto/domain/imports';
import { dimensionsWithout } from '@hitherto/domain/visits';
import type { Locale } from '@hitherto/words';

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
  locale: Locale,
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  interval: Interval,
  visits: number | null,
): OriginsView {
  const sums = daysWithout(imported, 'hits');
  return {
    imported: `${imported.map((period) => locale.words.origins.imported(daysOf(locale, period), IMPORT_FORMAT_NAMES[period.format])).join('; ')}.`,
    without:
      sums.length === 0
        ? undefined
        : isOfHits(query)
          ? leftOut(locale, sums)
          : unknownOf(locale, sums, interval, visits),
    hasBounds: sums.length > 0 && !isOfHits(query),
  };
}

/** That a list lacks days, because their import has no such values. */
export function withoutDays(
  locale: Locale,
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  asked: AskedOfDays,
): string | undefined {
  // Below the chart it says that all numbers lack them.
  const without = isOfHits(query) ? [] : daysWithout(imported, asked);
  return without.length === 0 ? undefined : locale.words.origins.without(allDaysOf(locale, without));
}

/** The same on a page of its own. */
export function withoutDaysOfList(
  locale: Locale,
  imported: readonly ImportedPeriod[],
  query: StatisticsQuery,
  asked: AskedOfDays,
): string | undefined {
  return isOfHits(query) ? leftOut(locale, daysWithout(imported, 'hits')) : withoutDays(locale, imported, query, asked);
}

/** Filters choose visits, and rates of goals are of visits. */
function isOfHits({ filters, onlyHits = false }: StatisticsQuery): boolean {
  return filters.length > 0 || onlyHits;
}

function leftOut(locale: Locale, sums: readonly ImportedPeriod[]): string | undefined {
  return sums.length === 0 ? undefined : locale.words.origins.leftOut(allDaysOf(locale, sums));
}

function unknownOf(locale: Locale, sums: readonly ImportedPeriod[], interval: Interval, visits: number | null): string {
  const { origins, dimensions, figures, goals } = locale.words;
  const missing = [...new Set(sums.flatMap(({ sums: known = [] }) => dimensionsWithout(known)))];
  const names = [
    ...(visits === null ? [figures.visits] : []),
    ...(interval === 'hour' ? [origins.hours] : []),
    ...missing.map((dimension) => dimensions[dimension].many),
    goals.goals,
    goals.funnels,
  ];
  return origins.unknown(allDaysOf(locale, sums), locale.format.list(names));
}

function daysOf({ format }: Locale, { from, to }: ImportedPeriod): string {
  return format.period(from, to, true);
}

function allDaysOf(locale: Locale, periods: readonly ImportedPeriod[]): string {
  return locale.format.list(periods.map((period) => daysOf(locale, period)));
}
