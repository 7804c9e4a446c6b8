import type { Row } from './row.ts';
import { backupEmbedded, backupOwn } from './rows/backup.ts';
import { backupKills } from './rows/backup-kills.ts';
import { clockJumps } from './rows/clock-jumps.ts';
import { concurrentHistories } from './rows/concurrent-histories.ts';
import { databaseFull } from './rows/database-full.ts';
import { killEngine } from './rows/engine-kills.ts';
import { engineFrozen, engineFull, engineOutage } from './rows/engine-outages.ts';
import { floodAccount, floodHits, floodKeys, floodSlow } from './rows/floods.ts';
import { fuzzedForeign } from './rows/fuzzed-foreign.ts';
import { fuzzedHits } from './rows/fuzzed-hits.ts';
import { fuzzedResources } from './rows/fuzzed-resources.ts';
import { generatedRequests } from './rows/generated-requests.ts';
import { hitHistories } from './rows/hit-histories.ts';
import { commitUnknown, killBackendUnderHits, killPostmasterUnderHits, killUnderHits } from './rows/hit-kills.ts';
import { idempotentCreates } from './rows/idempotent-creates.ts';
import { importFull } from './rows/import-full.ts';
import { importKills } from './rows/import-kills.ts';
import { killFirstStart } from './rows/kill-first-start.ts';
import { killJobs } from './rows/kill-jobs.ts';
import { killApi, killBackend, killEmbedded, killPostmaster } from './rows/kills.ts';
import { migrateAtOnce, migrateKilled } from './rows/migrations.ts';
import { moveKills } from './rows/move-kills.ts';
import { noTraces } from './rows/no-traces.ts';
import { databaseFrozen, databaseReadOnly, databaseRestarts, pooler } from './rows/outages.ts';
import { reports } from './rows/reports.ts';
import { restartsUnderHits } from './rows/restarts-under-hits.ts';
import { revokedKey } from './rows/revoked-key.ts';
import { sameHistories } from './rows/same-histories.ts';
import { sigterm } from './rows/sigterm.ts';
import { startWithoutDatabase } from './rows/start-without-database.ts';
import { unreadLists } from './rows/unread-lists.ts';
import { viewers } from './rows/viewers.ts';
import { connections, secrets } from './rows/watched.ts';
import { webhooks } from './rows/webhooks.ts';
import { killWorkersUnderHits } from './rows/worker-kills.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  killApi,
  killBackend,
  killPostmaster,
  killEmbedded,
  killFirstStart,
  killUnderHits,
  killBackendUnderHits,
  killPostmasterUnderHits,
  restartsUnderHits,
  killWorkersUnderHits,
  killEngine,
  engineFrozen,
  engineFull,
  engineOutage,
  moveKills,
  commitUnknown,
  killJobs,
  hitHistories,
  databaseRestarts,
  pooler,
  databaseFrozen,
  databaseFull,
  databaseReadOnly,
  startWithoutDatabase,
  sigterm,
  migrateAtOnce,
  migrateKilled,
  idempotentCreates,
  sameHistories,
  concurrentHistories,
  generatedRequests,
  fuzzedHits,
  fuzzedForeign,
  fuzzedResources,
  floodAccount,
  floodKeys,
  floodSlow,
  floodHits,
  unreadLists,
  revokedKey,
  reports,
  webhooks,
  clockJumps,
  backupEmbedded,
  backupOwn,
  backupKills,
  importKills,
  importFull,
  viewers,
  noTraces,
  secrets,
  connections,
];
