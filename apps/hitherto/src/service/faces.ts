import { createApi } from '@hitherto/api';
import type { PasswordHasher } from '@hitherto/domain';
import { createFailedKeyLimit, type Face, type Metrics } from '@hitherto/http';
import type { Database } from '../database.ts';
import type { Settings } from '../settings.ts';

export interface FaceDependencies {
  readonly settings: Settings;
  readonly database: Database;
  readonly passwords: PasswordHasher;
  readonly metrics: Metrics;
  readonly version: string;
  /** Whether the database has been migrated. */
  readonly isPrepared: () => boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The faces of the service. The first one also gets unknown paths. */
export function facesOf({ settings, database, ...deps }: FaceDependencies): readonly [Face, ...Face[]] {
  const { websites, access, ping } = database;
  const { rateLimitPerMinute } = settings;
  const failedKeys = createFailedKeyLimit();
  return [createApi({ ...deps, websites, access, ping, failedKeys, rateLimitPerMinute })];
}
