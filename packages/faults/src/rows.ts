import type { Row } from './row.ts';
import { backupKills } from './rows/backup-kills.ts';
import { databaseFull } from './rows/database-full.ts';
import { killEngine } from './rows/engine-kills.ts';
import { engineOutages } from './rows/engine-outages.ts';
import { floods } from './rows/floods.ts';
import { hitKills } from './rows/hit-kills.ts';
import { idempotentCreates } from './rows/idempotent-creates.ts';
import { importFull } from './rows/import-full.ts';
import { importKills } from './rows/import-kills.ts';
import { killFirstStart } from './rows/kill-first-start.ts';
import { killJobs } from './rows/kill-jobs.ts';
import { kills } from './rows/kills.ts';
import { migrateKilled } from './rows/migrate-killed.ts';
import { moveKills } from './rows/move-kills.ts';
import { outages } from './rows/outages.ts';
import { reports } from './rows/reports.ts';
import { restartsUnderHits } from './rows/restarts-under-hits.ts';
import { sigterm } from './rows/sigterm.ts';
import { unreadLists } from './rows/unread-lists.ts';
import { webhooks } from './rows/webhooks.ts';
import { killWorkersUnderHits } from './rows/worker-kills.ts';

/** All rows. */
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
  outages,
  databaseFull,
  sigterm,
  migrateKilled,
  idempotentCreates,
  floods,
  unreadLists,
  reports,
  webhooks,
  backupKills,
  importKills,
  importFull,
].flat();
