import type { Row } from './row.ts';
import { concurrentHistories } from './rows/concurrent-histories.ts';
import { generatedRequests } from './rows/generated-requests.ts';
import { idempotentStores } from './rows/idempotent-stores.ts';
import { killApi } from './rows/kill-api.ts';
import { sameHistories } from './rows/same-histories.ts';
import { connections, secrets } from './rows/watched.ts';

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [
  killApi,
  idempotentStores,
  sameHistories,
  concurrentHistories,
  generatedRequests,
  secrets,
  connections,
];
