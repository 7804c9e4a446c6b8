import type { DeletedWebsites } from '../website/deleted-websites.ts';
import type { StatisticsMaintenance } from './engine/statistics-engine.ts';
import type { CrawlerRepository } from './journal/crawlers.ts';
import type { DroppedHitsRepository } from './journal/dropped-hits.ts';

export interface ForgetWebsiteDependencies {
  readonly deletedWebsites: DeletedWebsites;
  readonly droppedHits: Pick<DroppedHitsRepository, 'deleteAll'>;
  readonly crawlers: Pick<CrawlerRepository, 'deleteAll'>;
  readonly maintenance: Pick<StatisticsMaintenance, 'forget'>;
}

/** Deletes a bounded part of the hits and statistics of one deleted website. Returns whether more may be left. */
export async function forgetDeletedWebsite(deps: ForgetWebsiteDependencies): Promise<boolean> {
  const websiteId = await deps.deletedWebsites.findDue();
  if (websiteId === undefined) return false;
  if (await deps.maintenance.forget(websiteId)) return true;
  await deps.droppedHits.deleteAll(websiteId);
  await deps.crawlers.deleteAll(websiteId);
  await deps.deletedWebsites.confirm(websiteId);
  return true;
}
