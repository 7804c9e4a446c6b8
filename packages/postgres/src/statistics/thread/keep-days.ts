import type { TimeZone } from '@hitherto/domain/calendar';
import { sql } from 'kysely';
import type { Database } from '../../connection/database.ts';
import { joinParts } from '../imports/staging.ts';
import { handOver } from '../jobs/hand-over.ts';
import { joinDays } from '../jobs/join-days.ts';
import type { Keeping, Waits } from '../jobs/keeping.ts';
import { deleteHitsBefore } from '../jobs/retention.ts';
import { summarise } from '../jobs/summarise.ts';
import { tryWorkLock, waitForWorkLock } from '../jobs/work-lock.ts';
import type { PartLimits } from '../part-limits.ts';
import { dayIsOver } from '../zones.ts';

/** @param zone of websites without their own */
export function createKeeping(database: Database, zone: TimeZone, limits: PartLimits): Keeping {
  const lockOf = (waits: Waits) => (waits === 'waits' ? waitForWorkLock : tryWorkLock);
  return {
    handOver: (waits) => handOver(database, lockOf(waits)),
    joinDays: async (now, waits) => joinDays(database, await dayIsOver(database, zone, now), limits, lockOf(waits)),
    summarise: async (now, waits) =>
      summarise(database, zone, await dayIsOver(database, zone, now), limits, lockOf(waits)),
    summariseImported: (websiteNumber, today) =>
      summarise(
        database,
        zone,
        sql`website_number = ${websiteNumber} and day < ${today}::date`,
        limits,
        waitForWorkLock,
      ),
    joinParts: (importId) => joinParts(database, importId, limits),
    deleteHitsBefore: (day) => deleteHitsBefore(database, zone, limits, day),
  };
}
