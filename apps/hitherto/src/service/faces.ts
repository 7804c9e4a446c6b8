import { createApi } from '@hitherto/api';
import { createCollector } from '@hitherto/collector';
import type { HitLookups, PasswordHasher, Salts } from '@hitherto/domain';
import { createFailedKeyLimit, type Face, type Metrics } from '@hitherto/http';
import { createPages } from '@hitherto/pages';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';

export interface FaceDependencies {
  readonly settings: Settings;
  readonly database: Database;
  readonly passwords: PasswordHasher;
  readonly lookups: HitLookups;
  readonly salts: Salts;
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly version: string;
  /** Whether the database has been migrated. */
  readonly isPrepared: () => boolean;
  /** Whether the service has been told to stop. */
  readonly isStopping: () => boolean;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The faces of the service. The first one also gets unknown paths. */
export function facesOf({ settings, database, ...deps }: FaceDependencies): readonly [Face, ...Face[]] {
  const { rateLimitPerMinute, timeZone, publicUrl } = settings;
  const common = { ...database, ...deps, timeZone, zone: timeZone, failedKeys: createFailedKeyLimit() };
  const collector = createCollector({ ...common, isLimited: rateLimitPerMinute > 0 });
  const { oldestWaitingHit, documentation } = collector;
  return [
    createApi({ ...common, documented: [documentation], rateLimitPerMinute }),
    collector,
    createPages({ ...common, oldestWaitingHit, sendsReports: settings.smtpUrl !== undefined, publicUrl }),
  ];
}
