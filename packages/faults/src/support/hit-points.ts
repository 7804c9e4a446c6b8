import type { Socket } from 'node:net';

/** A point in the course of a batch of hits: one COPY in one transaction. */
export const HIT_POINTS = [
  'before COPY',
  'within COPY',
  'after COPY',
  'before COMMIT',
  'after COMMIT is sent',
  'after it is answered',
] as const;
export type HitPoint = (typeof HIT_POINTS)[number];

export interface HitTrap {
  readonly point: HitPoint;
  readonly act: (cut: () => void) => void;
}

/** What the proxy asks for each message of one connection. */
export interface HitWatch {
  /** Whether a message of the client has reached the point of a trap, and is not to be passed on. */
  isStoppedBy(type: string, message: Buffer): boolean;
  /** The same for a message of the server. */
  isStoppedByReply(type: string, message: Buffer): boolean;
}

/**
 * Follows the batches of hits on one connection.
 *
 * @param next the trap for a batch that begins, if any
 * @param hold blocks the connection and calls the action
 */
export function watchHits(
  next: () => HitTrap | undefined,
  server: Socket,
  hold: (act: HitTrap['act']) => void,
): HitWatch {
  let trap: HitTrap | undefined;
  const isAt = (point: HitPoint): boolean => {
    if (trap?.point !== point) return false;
    hold(trap.act);
    return true;
  };
  return {
    isStoppedBy(type, message) {
      if (type === 'Q' && isText(message, 'copy hit ')) {
        trap = next();
        return isAt('before COPY');
      }
      if (trap === undefined) return false;
      if (type === 'd' && trap.point === 'within COPY') {
        // The server waits for the rest of the rows.
        server.write(message.subarray(0, message.length >> 1));
        return isAt('within COPY');
      }
      if (type !== 'Q' || !isText(message, 'commit')) return false;
      if (trap.point === 'after COMMIT is sent') {
        const { act } = trap;
        server.write(message, () => hold(act));
        return true;
      }
      return isAt('before COMMIT');
    },
    isStoppedByReply(type, message) {
      if (type !== 'C') return false;
      if (isText(message, 'COPY ')) return isAt('after COPY');
      if (!isText(message, 'COMMIT')) return false;
      const isStopped = isAt('after it is answered');
      trap = undefined;
      return isStopped;
    },
  };
}

function isText(message: Buffer, start: string): boolean {
  return message.toString('latin1', 5, 5 + start.length) === start;
}
