import type { Row } from './row.ts';
import { backups } from './rows/backup.ts';
import { backupKills } from './rows/backup-kills.ts';
import { clockJumps } from './rows/clock-jumps.ts';
import { concurrentHistories } from './rows/concurrent-histories.ts';
import { databaseFull } from './rows/database-full.ts';
import { killEngine } from './rows/engine-kills.ts';
import { engineOutages } from './rows/engine-outages.ts';
import { floods } from './rows/floods.ts';
import { fuzzedForeign } from './rows/fuzzed-foreign.ts';
import { fuzzedHits } from './rows/fuzzed-hits.ts';
import { fuzzedResources } from './rows/fuzzed-resources.ts';
import { generatedRequests } from './rows/generated-requests.ts';
import { hitHistories } from './rows/hit-histories.ts';
import { hitKills } from './rows/hit-kills.ts';
import { idempotentCreates } from './rows/idempotent-creates.ts';
import { importFull } from './rows/import-full.ts';
import { importKills } from './rows/import-kills.ts';
import { killFirstStart } from './rows/kill-first-start.ts';
import { killJobs } from './rows/kill-jobs.ts';
import { kills } from './rows/kills.ts';
import { migrations } from './rows/migrations.ts';
import { moveKills } from './rows/move-kills.ts';
import { noTraces } from './rows/no-traces.ts';
import { outages } from './rows/outages.ts';
import { reports } from './rows/reports.ts';
import { restartsUnderHits } from './rows/restarts-under-hits.ts';
import { revokedKey } from './rows/revoked-key.ts';
import { sameHistories } from './rows/same-histories.ts';
import { sigterm } from './rows/sigterm.ts';
import { startWithoutDatabase } from './rows/start-without-database.ts';
import { unreadLists } from './rows/unread-lists.ts';
import { viewers } from './rows/viewers.ts';
import { sums } from './rows/watched.ts';
import { webhooks } from './rows/webhooks.ts';
import { killWorkersUnderHits } from './rows/worker-kills.ts';

/** All rows; those that sum up others are last. */
export const ROWS: readonly Row[] = [
  kills,
  killFirstStart,
  hitKills,
  restartsUnderHits,
  killWorkersUnderHits,
  killEngine,
  engineOutages,
  moveKills,
  killJobs,
  hitHistories,
  outages,
  databaseFull,
  startWithoutDatabase,
  sigterm,
  migrations,
  idempotentCreates,
  sameHistories,
  concurrentHistories,
  generatedRequests,
  fuzzedHits,
  fuzzedForeign,
  fuzzedResources,
  floods,
  unreadLists,
  revokedKey,
  reports,
  webhooks,
  clockJumps,
  backups,
  backupKills,
  importKills,
  importFull,
  viewers,
  noTraces,
  sums,
].flat();
