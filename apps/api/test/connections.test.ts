import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from './support/program.ts';
import { listen } from './support/sockets.ts';

// What clients may do with their connections besides sending requests.

const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';

/** A service, and a client's socket with the service's end of it; the client keeps its side open whatever the service does. */
async function connection() {
  const { api } = await listen();
  const { server } = api.app;
  const accepted = once(server, 'connection');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen on a port.');
  const client = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  onTestFinished(() => {
    client.destroy();
  });
  const [end]: Socket[] = await accepted;
  if (end === undefined) throw new Error('There is no connection.');
  return { api, client, closed: once(end, 'close') };
}

/** From here on the time limits of sockets are a hundred times shorter. */
function hurrySockets(): void {
  const { setTimeout } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, listener) {
    return setTimeout.call(this, ms / 100, listener);
  });
  onTestFinished(() => spy.mockRestore());
}

describe('CONNECT', () => {
  test('and a reset, before the answer or after it, leaves the service serving', async () => {
    const service = await startService({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }, 'listening');
    const port = Number(new URL(service.url).port);
    const reset = (when: 'written' | 'answered') =>
      new Promise((resolve) => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        const now = () => socket.resetAndDestroy();
        socket.once('close', resolve).write(CONNECT, when === 'written' ? now : undefined);
        if (when === 'answered') socket.once('data', now);
      });

    await Promise.all(Array.from({ length: 10 }, () => [reset('written'), reset('answered')]).flat());
    const { status } = await fetch(`${service.url}/livez`);
    const { code, stdout } = await service.stop();

    expect([status, code]).toEqual([200, 0]);
    expect(stdout).not.toContain('stopping after an error');
  });

  test('is closed by the service when it is answered, also where the client keeps its side open', async () => {
    const { client, closed } = await connection();

    client.write(CONNECT);
    const [answer] = await once(client, 'data');
    await closed;

    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('from a client that reads nothing is closed in the end', async () => {
    hurrySockets();
    const { client, closed } = await connection();

    client.pause();
    client.write(`${'GET /openapi.json HTTP/1.1\r\nHost: a.example\r\n\r\n'.repeat(200)}${CONNECT}`);

    await closed;
  });
});
