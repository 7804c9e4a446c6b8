import type { Log } from '@hitherto/domain/base';
import { errorCodeOf, serverMessageOf } from './errors.ts';

/** Tracks whether the database is reachable, and logs changes for the operator. */
export interface Presence {
  /** Whether a connection was lost and none has worked since. */
  readonly isAway: boolean;
  /** A connection was lost, or could not be opened. */
  lost(error: unknown): void;
  /** A connection works. */
  seen(): void;
}

/** Logs once that the database is gone, again if the server gives another reason, and once that it is back. */
export function watchPresence(log: Log): Presence {
  let lastReason: string | undefined;
  const presence = {
    isAway: false,
    lost(error: unknown) {
      const reason = serverMessageOf(error);
      if (presence.isAway && (reason === undefined || reason === lastReason)) return;
      presence.isAway = true;
      lastReason = reason;
      log('warn', 'A connection to the database was lost or refused', {
        code: errorCodeOf(error),
        ...(reason === undefined ? {} : { reason }),
      });
    },
    seen() {
      if (presence.isAway) log('info', 'The database responds again');
      presence.isAway = false;
    },
  };
  return presence;
}
