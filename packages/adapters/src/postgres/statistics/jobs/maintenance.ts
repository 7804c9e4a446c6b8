import type { StatisticsMaintenance, TimeZone } from '@hitherto/domain';
import type { Database } from '../../connection/database.ts';
import { preparePartitions } from './partitions.ts';
import { purge } from './purge.ts';
import { rebuild } from './rebuild.ts';
import { deleteHitsBefore } from './retention.ts';
import { keepRunningSummaries, type RunningSummaryLimits } from './running-summaries.ts';
import { summarise } from './summarise.ts';
import { updateVisits } from './update-visits.ts';

/**
 * The background work on statistics in PostgreSQL. Each piece is a transaction under one advisory lock; while another
 * instance has the lock, there is nothing to do.
 */
export function createStatisticsMaintenance(
  database: Database,
  zone: TimeZone,
  limits: RunningSummaryLimits,
): StatisticsMaintenance {
  return {
    updateVisits: () => updateVisits(database, zone),
    summarise: async (today) =>
      (await summarise(database, zone, today)) || (await keepRunningSummaries(database, zone, today, limits)),
    purge: () => purge(database),
    deleteHitsBefore: (day) => deleteHitsBefore(database, zone, day),
    prepare: (today) => preparePartitions(database, today),
    rebuild: (what) => rebuild(database, zone, what),
  };
}
