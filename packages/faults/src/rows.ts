import type { Row } from './row.ts';
import { clockJumps } from './rows/clock-jumps.ts';
import { databaseFrozen } from './rows/database-frozen.ts';
import { databaseFull } from './rows/database-full.ts';
import { databaseReadOnly } from './rows/database-read-only.ts';
import { databaseRestarts } from './rows/database-restarts.ts';
import { floodAccount, floodKeys, floodSlow } from './rows/floods.ts';
import { killApi } from './rows/kill-api.ts';
import { revokedKey } from './rows/revoked-key.ts';
import { sigterm } from './rows/sigterm.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  killApi,
  databaseRestarts,
  databaseFrozen,
  databaseFull,
  databaseReadOnly,
  sigterm,
  floodAccount,
  floodKeys,
  floodSlow,
  revokedKey,
  clockJumps,
];
