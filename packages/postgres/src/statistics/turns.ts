import { setImmediate as otherWork } from 'node:timers/promises';
import { unavailable } from '@hitherto/domain/base';
import { DATABASE_TIMEOUTS } from '../connection/timeouts.ts';

/** How long the process may count before other work has its turn. */
const TURN_MS = 10;
const TOO_LONG = 'Counting these visits takes too long. Choose a shorter period, fewer goals or fewer filters.';

/** The turns in which visits are counted. */
export interface Turns {
  begin(): void;
  /** Ends the turn and begins the next one, if this one has been long. */
  pass(): Promise<void>;
  /** Lets other work have its turn. Throws `unavailable` if all turns together have been too long. */
  end(): Promise<void>;
}

/** @param mostMs how long all of them together may take: as long as a statement that reads */
export function startTurns(mostMs: number = DATABASE_TIMEOUTS.statisticsStatement): Turns {
  let since = performance.now();
  let usedMs = 0;
  const turns: Turns = {
    begin() {
      since = performance.now();
    },
    async pass() {
      if (performance.now() - since < TURN_MS) return;
      await turns.end();
      turns.begin();
    },
    async end() {
      usedMs += performance.now() - since;
      if (usedMs > mostMs) throw unavailable(TOO_LONG);
      await otherWork();
    },
  };
  return turns;
}
