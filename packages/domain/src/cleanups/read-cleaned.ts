import type { StatisticsQuery, StatisticsReads } from '../engine/statistics-repository.ts';
import { hidingSet, rulesOfPeriod } from '../visits/hiding.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

/** How many visits of a query a cleanup hides. Two cleanups may hide the same visit. */
export interface CleanedVisits {
  readonly id: string;
  readonly name: string;
  readonly visits: number;
}

/** What the cleanups hide of a query that does not ask for it. */
export async function readCleaned(
  deps: {
    readonly statistics: Pick<StatisticsReads, 'hidingRules' | 'totals'>;
    readonly cleanups: Pick<CleanupRepository, 'list'>;
  },
  website: WebsiteKey,
  query: StatisticsQuery,
): Promise<readonly CleanedVisits[]> {
  if (query.hidden !== undefined) return [];
  const rules = rulesOfPeriod(await deps.statistics.hidingRules(website.websiteId), query);
  if (rules.length === 0) return [];
  const cleanups = (await deps.cleanups.list(website)) ?? [];
  const names = new Map(cleanups.map(({ id, name }) => [id, name]));
  return Promise.all(
    rules.map(async (rule) => {
      const filters = [...query.filters, hidingSet([rule], false)];
      const { visits } = await deps.statistics.totals({ ...query, filters, hidden: 'include' });
      return { id: rule.id, name: names.get(rule.id) ?? '', visits };
    }),
  );
}
