import { addDays, type Period } from '../calendar/days.ts';
import type { StatisticsMaintenance } from '../engine/statistics-engine.ts';
import type { StatisticsReads, WebsitePeriod } from '../engine/statistics-repository.ts';
import type { ImportFormat } from '../imports/import.ts';
import type { ImportRepository } from '../imports/import-repository.ts';
import { daysWithout, importedPeriods } from '../imports/imported-periods.ts';

/** Days whose visits nobody can look at. */
export interface LeftOutDays extends Period {
  /** Of the import that has only their sums; `null` where their hits are deleted. */
  readonly format: ImportFormat | null;
}

export interface LeftOutDependencies {
  readonly statistics: Pick<StatisticsReads, 'firstDay'>;
  readonly maintenance: Pick<StatisticsMaintenance, 'keptFrom'>;
  readonly imports: Pick<ImportRepository, 'importedDays'>;
}

/** The days of these periods that cannot be explained, since their visits are not stored. */
export async function findLeftOutDays(
  deps: LeftOutDependencies,
  periods: readonly WebsitePeriod[],
): Promise<readonly LeftOutDays[]> {
  const keptFrom = await deps.maintenance.keptFrom();
  const ofEach = periods.map(async ({ websiteId, from, to }) => {
    const sums = daysWithout(await importedPeriods(deps, websiteId, { from, to }), 'hits');
    const first = (await deps.statistics.firstDay(websiteId)) ?? keptFrom;
    if (first >= keptFrom || first > to || from >= keptFrom) return sums;
    const begin = [first, from].sort().at(-1) ?? from;
    return [{ from: begin, to: keptFrom > to ? to : addDays(keptFrom, -1), format: null }, ...sums];
  });
  return (await Promise.all(ofEach)).flat();
}
