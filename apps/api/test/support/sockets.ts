import { connect, Socket } from 'node:net';
import { expectApiHeaders } from '@hitherto/testing/contract';
import { onTestFinished, vi } from 'vitest';
import { type Api, type Overrides, startApiForTest } from './api.ts';
import { type ApiResponse, readable } from './response.ts';

/** The service on a port of this machine, and ways to speak to it byte by byte. */
interface Listening {
  readonly api: Api;
  /** Writes the bytes, and reads until the service closes, or until as many responses are complete as asked for. */
  exchange(bytes: string | Buffer | readonly (string | Buffer)[], responses?: number): Promise<Exchange>;
}

export interface Exchange {
  readonly responses: readonly ApiResponse[];
  readonly closed: boolean;
  readonly raw: string;
}

const RESPONSES_TIMEOUT_MS = 8_000;

export async function listen(overrides?: Overrides): Promise<Listening> {
  const api = await startApiForTest(overrides);
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  const address = api.app.server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen on a port.');

  return {
    api,
    exchange: async (bytes, expected = Number.POSITIVE_INFINITY) => {
      const socket = connect(address.port, '127.0.0.1');
      onTestFinished(() => {
        socket.destroy();
      });
      const { raw, closed } = await converse(socket, [bytes].flat(), expected);
      const responses = responsesIn(raw);
      for (const response of responses) if (response.status >= 200) expectApiHeaders(response);
      return { responses, closed, raw: raw.toString('latin1') };
    },
  };
}

/** Multiplies the time limits of sockets until the test ends; returns the list of them as they were set. */
export function scaleSocketTimes(factor: number): readonly number[] {
  const times: number[] = [];
  const { setTimeout } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, listener) {
    times.push(ms);
    return setTimeout.call(this, ms * factor, listener);
  });
  onTestFinished(() => spy.mockRestore());
  return times;
}

function converse(socket: Socket, parts: readonly (string | Buffer)[], expected: number) {
  return new Promise<{ raw: Buffer; closed: boolean }>((resolve) => {
    const chunks: Buffer[] = [];
    const settle = (closed: boolean) => {
      clearTimeout(timer);
      resolve({ raw: Buffer.concat(chunks), closed });
    };
    const timer = setTimeout(() => settle(false), RESPONSES_TIMEOUT_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (responsesIn(Buffer.concat(chunks)).length >= expected) settle(false);
    });
    // The service may close while bytes are still being written to it.
    socket.on('error', () => {});
    socket.on('close', () => settle(true));
    for (const part of parts) socket.write(part);
  });
}

/** The complete responses in what a service sent; those of HEAD are not looked for. */
function responsesIn(raw: Buffer): ApiResponse[] {
  const responses: ApiResponse[] = [];
  let rest = raw;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return responses;
    const [status = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) return responses;
    responses.push(readable({ status: Number(status.split(' ')[1]), headers, text: body.toString() }));
    rest = rest.subarray(end + 4 + length);
  }
}
