import type { TimeZone } from '@hitherto/domain/calendar';
import type { ImportStaging } from '@hitherto/domain/imports';
import type { Database } from '../../connection/database.ts';
import { analyse } from '../jobs/analyse.ts';
import type { Keeping } from '../jobs/keeping.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { publish } from './publish.ts';
import { readHits } from './read-hits.ts';
import { remove } from './remove.ts';
import { createStagedHits, discard, type StagedHits, stageSums } from './staging.ts';

/** A small sample says enough until autovacuum takes a larger one: that takes several times as long. */
const ANALYSE_TARGET = 20;

/**
 * Imports in PostgreSQL. What they stage, hits in the book and sums of days, counts once their import is done, and is deleted with it.
 *
 * @param installation the zone of websites without their own
 * @param keeping does the work that takes long
 */
export function createImportStaging(database: Database, installation: TimeZone, keeping: Keeping): ImportStaging {
  const stagings = new Map<string, StagedHits>();
  const stagingOf = (importId: string) => stagings.get(importId) ?? createStagedHits(database, importId);

  return {
    async stage(importId, hits) {
      const staging = stagingOf(importId);
      stagings.set(importId, staging);
      await staging.stage(hits);
    },

    stageSums: (importId, sums) => stageSums(database, importId, sums),

    async publish(importId, counts, now, event, read) {
      await stagingOf(importId).complete();
      stagings.delete(importId);
      await keeping.joinParts(importId);
      const published = await publish(database, installation, { importId, counts, now, event, read });
      if (published === undefined) return false;
      while (await keeping.summariseImported(published.websiteNumber, published.today));
      if (published.summedDays > 0) await analyse(database, waitForWorkLock, ['imported_sum'], ANALYSE_TARGET);
      return true;
    },

    remove: (importId, _, change) => remove(database, importId, change),

    async discard(importId) {
      stagings.delete(importId);
      await discard(database, importId);
    },

    hits: (websiteId) => readHits(database, websiteId),
  };
}
