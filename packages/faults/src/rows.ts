import type { Row } from './row.ts';
import { clockJumps } from './rows/clock-jumps.ts';
import { databaseFrozen } from './rows/database-frozen.ts';
import { databaseReadOnly } from './rows/database-read-only.ts';
import { databaseRestarts } from './rows/database-restarts.ts';
import { killApi } from './rows/kill-api.ts';
import { revokedKey } from './rows/revoked-key.ts';
import { sigterm } from './rows/sigterm.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  killApi,
  databaseRestarts,
  databaseFrozen,
  databaseReadOnly,
  sigterm,
  revokedKey,
  clockJumps,
];
