import type { Day, Period } from '../calendar/days.ts';
import { ACCESS_LOG, type ImportFormat } from './import.ts';
import type { ImportRepository } from './import-repository.ts';

/** Days of an import within a period, both included. */
export interface ImportedPeriod {
  readonly from: Day;
  readonly to: Day;
  readonly format: ImportFormat;
}

/** Which of these days come from imports, in order: one entry for each import, and one for all access logs. */
export async function importedPeriods(
  { imports }: { readonly imports: Pick<ImportRepository, 'importedDays'> },
  websiteId: string,
  { from, to }: Period,
): Promise<ImportedPeriod[]> {
  const found = new Map<string, ImportedPeriod>();
  for (const { day, importId, format } of await imports.importedDays(websiteId, { from, to })) {
    const key = format === ACCESS_LOG ? format : importId;
    found.set(key, { from: found.get(key)?.from ?? day, to: day, format });
  }
  return [...found.values()];
}
