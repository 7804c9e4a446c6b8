import { createApi } from '@hitherto/api';
import { createCollector } from '@hitherto/collector';
import type { HitLookups, PasswordHasher, Salts } from '@hitherto/domain';
import { createFailedKeyLimit, type Face, type Metrics } from '@hitherto/http';
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
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The faces of the service. The first one also gets unknown paths. */
export function facesOf({ settings, database, ...deps }: FaceDependencies): readonly [Face, ...Face[]] {
  const { websites, access, directory, hits, batches, statistics, ping } = database;
  const { rateLimitPerMinute, timeZone } = settings;
  const failedKeys = createFailedKeyLimit();
  const counting = { ...deps, hits, batches, statistics, timeZone };
  return [
    createApi({ ...deps, websites, access, ping, failedKeys, rateLimitPerMinute, counting }),
    createCollector({ ...deps, directory, hits, timeZone, isLimited: rateLimitPerMinute > 0 }),
  ];
}
