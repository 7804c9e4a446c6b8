import type { Row } from './row.ts';
import { backupEmbedded, backupOwn } from './rows/backup.ts';
import { killApi } from './rows/kill-api.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [killApi, backupEmbedded, backupOwn];
