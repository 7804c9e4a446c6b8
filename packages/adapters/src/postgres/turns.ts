import { unavailable } from '@hitherto/domain';

interface Line {
  underWay: number;
  /** Begins each that waits, the first to come first. */
  readonly waiting: Set<() => void>;
}

/**
 * Lets `atOnce` pieces of work of one account run at a time, so that no account takes everything that all share. The others
 * of that account wait their turn, at most `waitMs` milliseconds.
 *
 * @throws DomainError `unavailable` where the turn does not come in time.
 */
export function createTurns(
  atOnce: number,
  waitMs: number,
): <Result>(accountId: string, work: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, Line>();

  const untilTurn = ({ waiting }: Line) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(limit);
        waiting.delete(begin);
        resolve();
      };
      const limit = setTimeout(() => {
        waiting.delete(begin);
        reject(unavailable('The account has too many requests of this kind under way.'));
      }, waitMs);
      waiting.add(begin);
    });

  return async (accountId, work) => {
    const line = lines.get(accountId) ?? { underWay: 0, waiting: new Set() };
    lines.set(accountId, line);
    if (line.underWay < atOnce) line.underWay += 1;
    else await untilTurn(line);
    try {
      return await work();
    } finally {
      // The place is handed on, or given up.
      const [next] = line.waiting;
      if (next !== undefined) next();
      else if (--line.underWay === 0) lines.delete(accountId);
    }
  };
}
