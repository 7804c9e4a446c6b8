import { backupEmbedded, backupOwn } from './rows/backup.ts';
import { killApi } from './rows/kill-api.ts';
import { killBackend } from './rows/kill-backend.ts';
import { killEmbedded } from './rows/kill-embedded.ts';
import { killFirstStart } from './rows/kill-first-start.ts';
import { killPostmaster } from './rows/kill-postmaster.ts';
import { migrateAtOnce } from './rows/migrate-at-once.ts';
import { migrateKilled } from './rows/migrate-killed.ts';
import { startWithoutDatabase } from './rows/start-without-database.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  killApi,
  killBackend,
  killPostmaster,
  killEmbedded,
  killFirstStart,
  startWithoutDatabase,
  migrateAtOnce,
  migrateKilled,
  backupEmbedded,
  backupOwn,
];
