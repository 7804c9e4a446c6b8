import { NO_TOTALS, type SeriesPoint, type Totals } from '@hitherto/domain';
import { type RawBuilder, sql } from 'kysely';
import { NUMBER_COLUMNS } from './day-values.ts';

/** Numbers as the driver reads them: sums are `double precision`, which holds every count exactly. */
export type NumbersRow = Record<(typeof NUMBER_COLUMNS)[number], number>;

/** The sums over grouped rows, as columns of a {@link NumbersRow}. */
export const SUMS: RawBuilder<unknown> = sql.join(
  NUMBER_COLUMNS.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0)::double precision as ${sql.ref(column)}`),
);

export function toTotals(row: NumbersRow): Totals {
  const { visitors, visits, pageviews, events, bounces, visits_with_pageviews, duration } = row;
  return { visitors, visits, pageviews, events, bounces, visitsWithPageviews: visits_with_pageviews, duration };
}

export function sumOfDays(days: readonly SeriesPoint[]): Totals {
  return days.reduce<Totals>(
    (sum, day) => ({
      visitors: sum.visitors + day.visitors,
      visits: sum.visits + day.visits,
      pageviews: sum.pageviews + day.pageviews,
      events: sum.events + day.events,
      bounces: sum.bounces + day.bounces,
      visitsWithPageviews: sum.visitsWithPageviews + day.visitsWithPageviews,
      duration: sum.duration + day.duration,
    }),
    NO_TOTALS,
  );
}
