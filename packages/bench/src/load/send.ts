import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests to one server over connections that are kept open, one request at a time on each. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  /** The text of the next request, complete with its headers. */
  readonly next: () => string;
  /** Requests are sent until it aborts. */
  readonly signal: AbortSignal;
  /**
   * Requests a second, at regular times. A request that finds no connection free waits for one, and the wait counts as a
   * part of its time. Without it each connection sends the next request as soon as the last one is through.
   */
  readonly perSecond?: number;
  /** Hears of each response. */
  readonly onResponse: (response: Received) => void;
}

export interface Received {
  readonly status: number;
  /** The head, with the status line. */
  readonly head: string;
  /** From when the request was due to the last byte of the response, in milliseconds. */
  readonly ms: number;
}

/** The response to a request that was lost with its connection. */
const LOST = { status: 0, head: '' } as const;
const TICK_MS = 1;

/** A connection, and the response that it waits for. */
interface Sender {
  readonly socket: Socket;
  due: number | undefined;
  received: Buffer;
}

/** Sends requests until the signal aborts; resolves when the last ones have been responded to. */
export async function send(load: Load): Promise<void> {
  const { hostname, port } = new URL(load.url);
  const free: Sender[] = [];
  const waiting: number[] = [];
  let inFlight = 0;

  function begin(sender: Sender, due: number): void {
    sender.due = due;
    inFlight += 1;
    sender.socket.write(load.next());
  }

  function proceed(sender: Sender): void {
    const due = waiting.shift();
    if (due !== undefined) begin(sender, due);
    else if (load.perSecond === undefined && !load.signal.aborted) begin(sender, performance.now());
    else free.push(sender);
  }

  function finish(sender: Sender, response: { readonly status: number; readonly head: string }): void {
    const { due } = sender;
    if (due === undefined) return;
    sender.due = undefined;
    inFlight -= 1;
    load.onResponse({ ...response, ms: performance.now() - due });
  }

  async function open(): Promise<void> {
    const socket = connect({ port: Number(port), host: hostname, noDelay: true });
    const sender: Sender = { socket, due: undefined, received: EMPTY };
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      sender.received = sender.received.length === 0 ? chunk : Buffer.concat([sender.received, chunk]);
      const response = wholeResponse(sender.received);
      if (response === undefined) return;
      sender.received = EMPTY;
      finish(sender, response);
      proceed(sender);
    });
    socket.on('close', () => {
      finish(sender, LOST);
      const place = free.indexOf(sender);
      if (place !== -1) free.splice(place, 1);
      if (!load.signal.aborted) void open().catch(() => {});
    });
    sockets.add(socket);
    proceed(sender);
  }

  const sockets = new Set<Socket>();
  await Promise.all(Array.from({ length: load.connections }, open));
  const start = performance.now();
  for (let sent = 0; !load.signal.aborted; await sleep(TICK_MS)) {
    const dueByNow = load.perSecond === undefined ? 0 : ((performance.now() - start) / 1_000) * load.perSecond;
    for (; sent < dueByNow; sent += 1) {
      const due = start + (sent * 1_000) / (load.perSecond ?? 1);
      // In turn: a server closes a connection that is idle for long, maybe at the moment of a request.
      const sender = free.shift();
      if (sender === undefined) waiting.push(due);
      else begin(sender, due);
    }
  }
  while (inFlight > 0) await sleep(TICK_MS);
  for (const socket of sockets) socket.destroy();
}

const EMPTY = Buffer.alloc(0);

/** The status and the head of a response, once all of it has been received. */
function wholeResponse(bytes: Buffer): { status: number; head: string } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const status = Number(head.slice(9, 12));
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    return bytes
      .subarray(end + 4)
      .toString('latin1')
      .endsWith('0\r\n\r\n')
      ? { status, head }
      : undefined;
  }
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined && status !== 204 && status !== 304) throw new Error(`A response has no length: ${head}`);
  return bytes.length < end + 4 + Number(length ?? 0) ? undefined : { status, head };
}
