import type { Row } from './row.ts';
import { backupKills } from './rows/backup-kills.ts';
import { cleanupKills } from './rows/cleanup-kills.ts';
import { container } from './rows/container.ts';
import { databaseFull } from './rows/database-full.ts';
import { engine } from './rows/engine.ts';
import { floods } from './rows/floods.ts';
import { hits } from './rows/hits.ts';
import { idempotentCreates } from './rows/idempotent-creates.ts';
import { importFull } from './rows/import-full.ts';
import { importKills } from './rows/import-kills.ts';
import { killFirstStart } from './rows/kill-first-start.ts';
import { killJobs } from './rows/kill-jobs.ts';
import { moveKills } from './rows/move-kills.ts';
import { outages } from './rows/outages.ts';
import { proxies } from './rows/proxies.ts';
import { sending } from './rows/sending.ts';
import { sigterm } from './rows/sigterm.ts';
import { systemd } from './rows/systemd.ts';
import { writes } from './rows/writes.ts';

/** All rows. */
export const ROWS: readonly Row[] = [
  writes,
  killFirstStart,
  hits,
  engine,
  moveKills,
  killJobs,
  outages,
  databaseFull,
  sigterm,
  idempotentCreates,
  floods,
  sending,
  backupKills,
  importKills,
  importFull,
  cleanupKills,
  container,
  systemd,
  proxies,
].flat();
