import { groupBy } from '../base/group-by.ts';
import type { Day, Period } from '../calendar/days.ts';
import type { Dimension } from '../hits/dimensions.ts';
import { ACCESS_LOG, type ImportFormat } from './import.ts';
import type { ImportRepository } from './import-repository.ts';

/** Days of an import within a period, both included. */
export interface ImportedPeriod {
  readonly from: Day;
  readonly to: Day;
  readonly format: ImportFormat;
  /** Of sums of days: the dimensions that they have. Absent for hits, which support all reads. */
  readonly sums?: readonly Dimension[];
}

interface OpenPeriod extends ImportedPeriod {
  to: Day;
}

/**
 * Which of these days come from imports, in order: one entry for each import, and one for all access logs. An entry is
 * divided where a day of another one lies between its days.
 */
export async function importedPeriods(
  { imports }: { readonly imports: Pick<ImportRepository, 'importedDays'> },
  websiteId: string,
  { from, to }: Period,
): Promise<ImportedPeriod[]> {
  const periods: ImportedPeriod[] = [];
  /** Periods that include the previous imported day. */
  let before = new Map<string, OpenPeriod>();
  for (const [day, importedOfDay] of groupBy(await imports.importedDays(websiteId, { from, to }), ({ day }) => day)) {
    const ofDay = new Map<string, OpenPeriod>();
    for (const { importId, day: _, ...rest } of importedOfDay) {
      const key = rest.format === ACCESS_LOG ? rest.format : importId;
      let period = ofDay.get(key) ?? before.get(key);
      if (period === undefined) {
        period = { ...rest, from: day, to: day };
        periods.push(period);
      }
      period.to = day;
      ofDay.set(key, period);
    }
    before = ofDay;
  }
  return periods;
}

/** A kind of read: totals, by hour, by a dimension, or a read that needs hits. */
export type AskedOfDays = 'total' | 'hour' | Dimension | 'hits';

/** The imported days that have only sums, and lack the asked numbers. Filters need hits. */
export function daysWithout(imported: readonly ImportedPeriod[], asked: AskedOfDays): ImportedPeriod[] {
  return imported.filter(({ sums }) => {
    if (sums === undefined || asked === 'total') return false;
    return asked === 'hour' || asked === 'hits' || !sums.includes(asked);
  });
}
