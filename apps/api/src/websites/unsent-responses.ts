import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountOf } from '../authentication/authentication.ts';
import { createUnsentLists, type UnsentList } from './unsent-lists.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The place of a list among the unsent ones. */
    unsentList: UnsentList | null;
  }
}

/** About the most bytes of a website in a response: two lists of 64 KiB, and the rest. */
const MAX_WEBSITE_BYTES = 135_168;

/**
 * Bounds the list responses of this scope that have not left the process. A handler calls the returned function
 * before its query, with the page's number of websites; the place is released when the response has been sent or the
 * connection is lost.
 */
export function boundUnsentLists(
  scope: FastifyInstance,
): (request: FastifyRequest, reply: FastifyReply, websites: number) => Promise<void> {
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

  return async (request, reply, websites) => {
    reply.unsentList = await lists.enter(accountOf(request), websites * MAX_WEBSITE_BYTES);
  };
}

/**
 * Calls back when the response has been sent or the connection is lost; at once if it was lost during the query. A
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
