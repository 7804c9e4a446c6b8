import type { RunChecksDependencies } from '@hitherto/domain/checks';
import type { OpenedDatabase } from '../installation/database.ts';
import type { Settings } from '../installation/settings.ts';

/** Checks websites with these settings. */
export function openChecks(
  { timeZone: zone }: Settings,
  { findings, statistics, notedHits, imports, directory, outbox }: OpenedDatabase,
  { now, newId }: { readonly now: () => Date; readonly newId: () => string },
  onOpened: RunChecksDependencies['onOpened'],
): RunChecksDependencies {
  const { timeZones } = outbox;
  return { findings, statistics, notedHits, imports, directory, timeZones, zone, now, newId, onOpened };
}
