import dns from 'node:dns';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics, createServer, type Face, sendProblem } from '../src/index.ts';

const face: Face = {
  sendError: sendProblem,
  register(scope) {
    scope.get('/', async () => 'served');
    scope.get('/slow', async () => {
      await sleep(100);
      return 'served late';
    });
  },
};

async function listening(drainMs?: number, host = '127.0.0.1') {
  const logger = pino({ level: 'silent' });
  const deps = { logger, metrics: createMetrics(), trustedProxies: [] };
  const app = await createServer({ ...deps, ...(drainMs === undefined ? {} : { drainMs }) }, [face]);
  await app.listen({ host, port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return { app, port, url: `http://127.0.0.1:${port}` };
}

/** A request on a connection of its own. */
async function fetchOnce(url: string): Promise<readonly [number | undefined, string | undefined]> {
  const [response] = (await once(get(url, { agent: new Agent() }), 'response')) as [IncomingMessage];
  await text(response);
  return [response.statusCode, response.headers.connection];
}

test('a stopping server accepts connections during the drain, and each response closes its connection', async () => {
  const { app, url } = await listening(400);

  const since = performance.now();
  const closed = app.close();
  await sleep(200);
  const during = await fetchOnce(url);
  await closed;
  const took = performance.now() - since;

  expect(during).toEqual([200, 'close']);
  // Timers may fire up to a millisecond early.
  expect(took).toBeGreaterThan(398);
  await expect(fetchOnce(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('connections in the listen queue are accepted and served before the socket closes', async () => {
  const { app, port } = await listening();
  // The kernel accepts them at once; the process is busy with its shutdown and has not yet.
  const sockets = Array.from({ length: 30 }, () => connect(port, '127.0.0.1'));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');

  const closed = app.close();
  const responses = await Promise.all(sockets.map((socket) => text(socket)));
  await closed;

  for (const response of responses) {
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toMatch(/^connection: close\r$/im);
  }
});

test('there is one listen queue, even if localhost has several addresses', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation((name: string, ...rest: unknown[]) => {
    const callback = rest.at(-1);
    if (typeof callback !== 'function') throw new Error('There is no callback.');
    if (rest.length > 1) callback(null, addresses);
    else callback(null, name === 'localhost' ? '127.0.0.1' : name, 4);
  });
  onTestFinished(() => lookup.mockRestore());

  const { app } = await listening(0, 'localhost');

  expect(app.addresses()).toHaveLength(1);
});

test('clients that keep sending requests lose none: each is served or refused', async () => {
  const { app, url } = await listening(500);
  const lost: unknown[] = [];
  let served = 0;
  const client = async () => {
    for (;;) {
      try {
        await fetchOnce(url);
        served += 1;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) lost.push(error);
        return;
      }
    }
  };
  const clients = Array.from({ length: 16 }, client);

  await app.close();
  await Promise.all(clients);

  expect(lost).toEqual([]);
  expect(served).toBeGreaterThan(16);
});

test('a request in progress at shutdown gets its response', async () => {
  const { app, url } = await listening();
  const response = fetchOnce(`${url}/slow`);
  await sleep(30);

  await app.close();

  expect(await response).toEqual([200, 'close']);
});

test('a server that does not listen closes at once', async () => {
  const app = await createServer(
    { logger: pino({ level: 'silent' }), metrics: createMetrics(), trustedProxies: [], drainMs: 60_000 },
    [face],
  );

  await app.close();
});
