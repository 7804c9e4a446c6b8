import type { Day, Period } from '../calendar/days.ts';
import { dayOf, type TimeZone } from '../calendar/time-zone.ts';
import type { StatisticsMaintenance } from '../engine/statistics-engine.ts';
import type { StatisticsQuery, StatisticsRepository, TopValue } from '../engine/statistics-repository.ts';
import type { Dimension } from '../hits/dimensions.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import { daysWithout, type ImportedPeriod, importedPeriods } from '../imports/imported-periods.ts';
import { hidingSet } from '../visits/hiding.ts';
import { NO_TOTALS, type SeriesPoint, sumTotals, type Totals } from '../visits/totals.ts';
import { FIRST_DAY, type NewRule } from './cleanup.ts';

export interface PreviewDependencies {
  readonly statistics: StatisticsRepository;
  readonly maintenance: Pick<StatisticsMaintenance, 'keptFrom'>;
  readonly imports: Pick<ImportRepository, 'importedDays'>;
  readonly now: () => Date;
  /** The website's. */
  readonly zone: TimeZone;
}

/** What a cleanup would do to the days whose hits are kept. */
export interface Preview extends Period {
  readonly before: Totals;
  readonly hidden: Totals;
  readonly after: Totals;
  readonly days: readonly PreviewedDay[];
  /** The first values of what would be hidden. */
  readonly top: ReadonlyMap<Dimension, readonly TopValue[]>;
  /** Imported days of sums, which it would not change. */
  readonly without: readonly ImportedPeriod[];
  /** The first day with hits that are kept; `null` if there is none. */
  readonly keptSince: Day | null;
}

/** The numbers of a day before and after. */
export interface PreviewedDay {
  readonly day: Day;
  readonly before: Totals;
  readonly after: Totals;
}

const TOP_DIMENSIONS = ['page', 'source', 'country'] as const satisfies readonly Dimension[];
const TOP_VALUES = 5;

function lastOf(one: Day, other: Day): Day {
  return [one, other].sort().at(-1) ?? one;
}

/** Counts what a rule would hide, and stores nothing. */
export async function previewCleanup(deps: PreviewDependencies, websiteId: string, rule: NewRule): Promise<Preview> {
  const { statistics, maintenance, zone, now } = deps;
  const [keptFrom, firstDay] = await Promise.all([maintenance.keptFrom(), statistics.firstDay(websiteId)]);
  const today = dayOf(zone, now());
  const keptSince = firstDay === undefined ? null : lastOf(firstDay, keptFrom);
  const to = rule.to ?? today;
  const first = lastOf(keptSince ?? today, rule.from ?? FIRST_DAY);
  const [from = to] = [first, to].sort();
  const query: StatisticsQuery = { websiteId, from, to, filters: [], onlyHits: true };
  const rules = [{ ...rule, id: '' }];
  const chosen = (isNegated: boolean): StatisticsQuery => ({ ...query, filters: [hidingSet(rules, isNegated)] });
  const [before, after, { days: hidden, values }, imported] = await statistics.reading(query, (reads) =>
    Promise.all([
      reads.series(query, 'day'),
      reads.series(chosen(true), 'day'),
      reads.overview(chosen(false), TOP_DIMENSIONS, TOP_VALUES),
      importedPeriods(deps, websiteId, query),
    ]),
  );
  const byDay = (points: readonly SeriesPoint[]) => new Map(points.map(({ start, ...totals }) => [`${start}`, totals]));
  const ofDay = { before: byDay(before), after: byDay(after) };
  return {
    ...{ from, to, keptSince },
    before: sumTotals(before),
    hidden: sumTotals(hidden),
    after: sumTotals(after),
    days: [...ofDay.before.keys()].sort().map((day) => ({
      day,
      before: ofDay.before.get(day) ?? NO_TOTALS,
      after: ofDay.after.get(day) ?? NO_TOTALS,
    })),
    top: new Map([...values].map(([dimension, { rows }]) => [dimension, rows])),
    without: daysWithout(imported, 'hits'),
  };
}
