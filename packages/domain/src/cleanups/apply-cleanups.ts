import type { Day } from '../calendar/days.ts';
import type { StatisticsMaintenance } from '../engine/statistics-engine.ts';
import type { StatisticsReads } from '../engine/statistics-repository.ts';
import { hidingSet } from '../visits/hiding.ts';
import { ruleOf } from './cleanup.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

export interface ApplyDependencies {
  readonly cleanups: Pick<CleanupRepository, 'waiting' | 'apply' | 'undo'>;
  readonly statistics: Pick<StatisticsReads, 'totals'>;
  readonly maintenance: Pick<StatisticsMaintenance, 'keptFrom'>;
}

/** Days that no hit is before or after. */
export const [FIRST_DAY, LAST_DAY]: readonly [Day, Day] = ['1970-01-01', '9999-12-31'];

/** Applies or undoes the cleanup that waits longest. Returns whether there was one. */
export async function settleCleanup({ cleanups, statistics, maintenance }: ApplyDependencies): Promise<boolean> {
  const waiting = await cleanups.waiting();
  if (waiting === undefined) return false;
  const { cleanup, websiteId } = waiting;
  if (cleanup.status === 'undoing') {
    await cleanups.undo(waiting);
    return true;
  }
  const keptFrom = await maintenance.keptFrom();
  const { visits, pageviews, events } = await statistics.totals({
    websiteId,
    from: cleanup.from ?? FIRST_DAY,
    to: cleanup.to ?? LAST_DAY,
    filters: [hidingSet([ruleOf(cleanup)], false)],
  });
  await cleanups.apply(waiting, { visits, hits: pageviews + events, keptFrom });
  return true;
}
