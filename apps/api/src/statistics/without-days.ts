import { isChoice, type StatisticsQuery } from '@hitherto/domain/engine';
import {
  type AskedOfDays,
  daysWithout,
  type ImportedPeriod,
  type ImportRepository,
  importedPeriods,
} from '@hitherto/domain/imports';

/** The imported days of a query, and the ones that are left out: filters and goals need more than sums. */
export async function readImported(
  deps: { readonly imports: Pick<ImportRepository, 'importedDays'> },
  query: StatisticsQuery,
  asked: AskedOfDays,
): Promise<{ readonly imported: readonly ImportedPeriod[]; readonly without: readonly ImportedPeriod[] }> {
  const imported = await importedPeriods(deps, query.websiteId, query);
  const isOfHits = isChoice(query) || query.onlyHits === true;
  return { imported, without: daysWithout(imported, isOfHits ? 'hits' : asked) };
}
