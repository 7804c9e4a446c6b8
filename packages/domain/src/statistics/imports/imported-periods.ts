import type { Day, Period } from '../calendar/days.ts';
import type { Dimension } from '../dimensions.ts';
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
  /** The index of the last period of each. */
  const last = new Map<string, number>();
  let day: Day | undefined;
  let before: Day | undefined;
  for (const { importId, day: next, ...rest } of await imports.importedDays(websiteId, { from, to })) {
    if (next !== day) [day, before] = [next, day];
    const key = rest.format === ACCESS_LOG ? rest.format : importId;
    const index = last.get(key) ?? periods.length;
    const known = periods[index];
    // The imported day before is its own too, or there is another one between.
    if (known !== undefined && (known.to === next || known.to === before)) periods[index] = { ...known, to: next };
    else {
      last.set(key, periods.length);
      periods.push({ ...rest, from: next, to: next });
    }
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
