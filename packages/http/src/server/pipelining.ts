import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { responseBeforeLatest } from './connections.ts';

/**
 * Serves the requests of a connection one after the other. A client may send hundreds in one packet, and Node would begin all of
 * them before it serves another connection.
 */
export function inSequence(listener: RequestListener): RequestListener {
  /** How many requests of a connection wait. */
  const waiting = new WeakMap<Socket, number>();

  /** Reads no more of a connection while requests wait. */
  function hold(socket: Socket): void {
    // A body that is read lets the socket flow again.
    if (!waiting.has(socket)) socket.on('resume', () => waiting.get(socket) !== 0 && socket.pause());
    waiting.set(socket, (waiting.get(socket) ?? 0) + 1);
    socket.pause();
  }

  function release(socket: Socket): void {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === 0) socket.resume();
  }

  return (request, response) => {
    const before = responseBeforeLatest(request.socket);
    if (before === undefined) return listener(request, response);
    const { socket } = request;
    hold(socket);
    before.once('close', () => {
      // Other connections get their turn in between.
      setImmediate(() => {
        if (socket.destroyed) return;
        release(socket);
        listener(request, response);
      });
    });
  };
}
