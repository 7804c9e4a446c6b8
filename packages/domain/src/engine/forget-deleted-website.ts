import type { CrawlerRepository } from '../hits/crawlers.ts';
import type { DroppedHitsRepository } from '../hits/dropped-hits.ts';
import type { NotedHitsRepository } from '../hits/noted-hits.ts';
import type { DeletedWebsites } from '../websites/deleted-websites.ts';
import type { StatisticsMaintenance } from './statistics-engine.ts';

export interface ForgetWebsiteDependencies {
  readonly deletedWebsites: DeletedWebsites;
  readonly droppedHits: Pick<DroppedHitsRepository, 'deleteAll'>;
  readonly crawlers: Pick<CrawlerRepository, 'deleteAll'>;
  readonly notedHits: Pick<NotedHitsRepository, 'deleteAll'>;
  readonly maintenance: Pick<StatisticsMaintenance, 'forget'>;
}

/** Deletes a bounded part of the hits and statistics of one deleted website. Returns whether more may be left. */
export async function forgetDeletedWebsite(deps: ForgetWebsiteDependencies): Promise<boolean> {
  const websiteId = await deps.deletedWebsites.findDue();
  if (websiteId === undefined) return false;
  if (await deps.maintenance.forget(websiteId)) return true;
  await deps.droppedHits.deleteAll(websiteId);
  await deps.crawlers.deleteAll(websiteId);
  await deps.notedHits.deleteAll(websiteId);
  await deps.deletedWebsites.confirm(websiteId);
  return true;
}
