import type { StatisticsMaintenance } from '../engine/statistics-engine.ts';
import type { StatisticsReads } from '../engine/statistics-repository.ts';
import { hidingSet } from '../visits/hiding.ts';
import { FIRST_DAY, LAST_DAY, ruleOf } from './cleanup.ts';
import type { CleanupRepository } from './cleanup-repository.ts';

export interface ApplyDependencies {
  readonly cleanups: Pick<CleanupRepository, 'waiting' | 'apply' | 'erased' | 'undo'>;
  readonly statistics: Pick<StatisticsReads, 'totals' | 'series'>;
  readonly maintenance: Pick<StatisticsMaintenance, 'keptFrom' | 'erase'>;
  readonly now: () => Date;
}

/** Applies, erases or undoes the cleanup that waits longest. Returns whether there was one. */
export async function settleCleanup(deps: ApplyDependencies): Promise<boolean> {
  const { cleanups, statistics, maintenance, now } = deps;
  const waiting = await cleanups.waiting();
  if (waiting === undefined) return false;
  const { cleanup, websiteId } = waiting;
  if (cleanup.status === 'undoing') {
    await cleanups.undo(waiting);
    return true;
  }
  const rule = ruleOf(cleanup);
  const query = {
    websiteId,
    from: cleanup.from ?? FIRST_DAY,
    to: cleanup.to ?? LAST_DAY,
    filters: [hidingSet([rule], false)],
  };
  if (cleanup.status === 'erasing') {
    // The days that are done by now, after a process that was killed, have none any more.
    for (const { start } of await statistics.series({ ...query, hidden: 'include' }, 'day')) {
      await maintenance.erase(websiteId, String(start), rule);
    }
    await cleanups.erased(waiting, now());
    return true;
  }
  const keptFrom = await maintenance.keptFrom();
  const { visits, pageviews, events } = await statistics.totals(query);
  await cleanups.apply(waiting, { visits, hits: pageviews + events, keptFrom });
  return true;
}
