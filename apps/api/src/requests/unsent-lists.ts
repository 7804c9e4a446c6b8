import { unavailable } from '@hitherto/domain/base';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from './authentication.ts';

/** The most bytes of list responses waiting in the process for slow readers; one account gets at most half. */
export const UNSENT_BYTES = { process: 67_108_864, account: 33_554_432 } as const;
/** The most concurrent lists of one account, from the query until the response has been sent. */
const MAX_LISTS = 5;
const WAIT_MS = 2_000;

/** The place of one list among the unsent ones. */
interface UnsentList {
  /** Replaces the estimate with the actual size in bytes; more than an account's share counts as its share. */
  resize(bytes: number): void;
  /** Releases the place; further calls do nothing. */
  release(): void;
}

/** Bounds the memory of list responses that clients have not read yet (api.md, "Limits"). */
interface UnsentLists {
  /**
   * Waits for a place for a response of about this many bytes. One of more than an account's share waits for all of it.
   *
   * @throws DomainError `unavailable` after two seconds
   */
  enter(accountId: string, bytes: number): Promise<UnsentList>;
}

interface Share {
  bytes: number;
  lists: number;
}

interface Waiting {
  readonly accountId: string;
  readonly bytes: number;
  readonly start: () => void;
}

/** One bound for the whole process, shared fairly: a list that waits for its own account does not hold up others. */
export function createUnsentLists(waitMs = WAIT_MS): UnsentLists {
  const shares = new Map<string, Share>();
  const queue = new Set<Waiting>();
  let total = 0;

  const shareOf = (accountId: string): Share => shares.get(accountId) ?? { bytes: 0, lists: 0 };

  const fitsAccount = ({ accountId, bytes }: Waiting) => {
    const share = shareOf(accountId);
    return share.lists < MAX_LISTS && share.bytes + bytes <= UNSENT_BYTES.account;
  };

  const change = (accountId: string, bytes: number, lists: number) => {
    const share = shareOf(accountId);
    share.bytes += bytes;
    share.lists += lists;
    total += bytes;
    if (share.lists === 0) shares.delete(accountId);
    else shares.set(accountId, share);
  };

  const startNext = () => {
    for (const waiting of queue) {
      if (!fitsAccount(waiting)) continue;
      // Lists start in order of arrival, or small ones would overtake large ones for ever.
      if (total + waiting.bytes > UNSENT_BYTES.process) return;
      waiting.start();
    }
  };

  const place = (accountId: string, estimate: number): UnsentList => {
    let held = estimate;
    let released = false;
    return {
      resize(bytes) {
        if (released) return;
        const share = Math.min(bytes, UNSENT_BYTES.account);
        change(accountId, share - held, 0);
        held = share;
        startNext();
      },
      release() {
        if (released) return;
        released = true;
        change(accountId, -held, -1);
        startNext();
      },
    };
  };

  return {
    enter: (accountId, estimate) =>
      new Promise((resolve, reject) => {
        const bytes = Math.min(estimate, UNSENT_BYTES.account);
        const waiting: Waiting = {
          accountId,
          bytes,
          start() {
            clearTimeout(timeout);
            queue.delete(waiting);
            change(accountId, bytes, 1);
            resolve(place(accountId, bytes));
          },
        };
        const timeout = setTimeout(() => {
          queue.delete(waiting);
          reject(unavailable('Too many list responses wait for their readers.'));
          startNext();
        }, waitMs);
        queue.add(waiting);
        startNext();
      }),
  };
}

declare module 'fastify' {
  interface FastifyReply {
    /** The place of a list among the unsent ones. */
    unsentList: UnsentList | null;
  }
}

/**
 * Waits for a place for a list response. A handler calls it before its query, with about the most bytes of the response;
 * the place is released when the response has been sent or the connection is lost.
 *
 * @throws DomainError `unavailable` after two seconds
 */
export type EnterList = (request: FastifyRequest, reply: FastifyReply, bytes: number) => Promise<void>;

/** Bounds the list responses of this scope that have not left the process. */
export function boundUnsentLists(scope: FastifyInstance): EnterList {
  const lists = createUnsentLists();
  scope.decorateReply('unsentList', null);
  // A buffer lies outside the heap and its limit.
  scope.addHook<unknown>('onSend', (request, reply, payload, done) => {
    const { unsentList } = reply;
    if (unsentList === null || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const body = Buffer.from(payload);
    unsentList.resize(body.length);
    whenGone(request, reply, unsentList.release);
    done(null, body);
  });

  return async (request, reply, bytes) => {
    reply.unsentList = await lists.enter(accountOf(request), bytes);
  };
}

/**
 * Calls back when the response has been sent or the connection is lost; immediately if it was lost during the query. A
 * pipelined response that still waits for the one before does not notice the loss itself, so the socket is watched too.
 */
function whenGone({ raw: { socket } }: FastifyRequest, { raw: response }: FastifyReply, callback: () => void): void {
  if (response.destroyed || socket.destroyed) {
    callback();
    return;
  }
  const gone = () => {
    response.off('close', gone);
    socket.off('close', gone);
    callback();
  };
  response.once('close', gone);
  socket.once('close', gone);
}
