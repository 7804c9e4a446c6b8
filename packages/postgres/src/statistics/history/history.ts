import type { TimeZone } from '@hitherto/domain/calendar';
import type { ImportStaging } from '@hitherto/domain/imports';
import type { Database } from '../../connection/database.ts';
import { analyse, DERIVED } from '../jobs/analyse.ts';
import { waitForWorkLock } from '../jobs/work-lock.ts';
import { createPreparation, type Preparation } from './prepare.ts';
import { publish } from './publish.ts';
import { readHits } from './read-hits.ts';
import { remove } from './remove.ts';
import { discard, stage, stageSums } from './staging.ts';

/** The number of hits from which tables are analysed after an import; autovacuum notices smaller changes in time. */
const BULK = 20_000;
/** A small sample says enough until autovacuum takes a larger one: that takes several times as long. */
const ANALYSE_TARGET = 20;

/**
 * Imports in PostgreSQL: hits are staged in a table of their own, and so are their numbers, which are made while the file is read; one transaction adds them all.
 * Sums of days stay in the table where they are staged, and count once their import is done.
 *
 * @param preparing the same database, through other connections: there are few for background work, and preparing takes long
 * @param installation the zone of websites without their own
 */
export function createImportStaging(database: Database, preparing: Database, installation: TimeZone): ImportStaging {
  const preparations = new Map<string, Preparation>();
  const preparationOf = (importId: string) =>
    preparations.get(importId) ?? createPreparation(preparing, installation, importId);

  return {
    async stage(importId, hits) {
      await stage(database, importId, hits);
      const preparation = preparationOf(importId);
      preparations.set(importId, preparation);
      preparation.goOn(hits);
    },

    stageSums: (importId, sums) => stageSums(database, importId, sums),

    async publish(importId, counts, now, event, read) {
      const preparation = preparationOf(importId);
      preparations.delete(importId);
      const published = await publish(database, installation, preparation, { importId, counts, now, event, read });
      if (published === undefined) return false;
      const { hits, summedDays } = published;
      if (hits >= BULK) await analyse(database, waitForWorkLock, ['hit', ...DERIVED], ANALYSE_TARGET);
      if (summedDays > 0) await analyse(database, waitForWorkLock, ['imported_sum'], ANALYSE_TARGET);
      return true;
    },

    remove: (importId, _, change) => remove(database, importId, change),

    async discard(importId) {
      await preparations.get(importId)?.settled();
      preparations.delete(importId);
      await discard(database, importId);
    },

    hits: (websiteId) => readHits(database, websiteId),
  };
}
