import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addFastRoute, createMetrics, createServer, decodeJsonBodies, type Face, sendProblem } from '../src/index.ts';

const TYPES = ['text/plain'];

/** A face that takes a while: `most` is the most requests that ran at once, `began` how many began. */
async function serve(ms: number) {
  const seen = { running: 0, most: 0, began: 0 };
  const work = async () => {
    seen.began += 1;
    seen.running += 1;
    seen.most = Math.max(seen.most, seen.running);
    await sleep(ms);
    seen.running -= 1;
    return {};
  };
  const face: Face = {
    sendError: sendProblem,
    register(scope) {
      decodeJsonBodies(scope, TYPES, 100_000);
      addFastRoute(scope, '/fast', { bodies: { types: TYPES, limit: 100_000 }, headers: {}, take: work }, {});
      scope.get('/slow', work);
      scope.get('/quick', async () => ({}));
    },
  };
  const logger = pino({ level: 'silent' });
  const app = await createServer({ logger, metrics: createMetrics(), trustedProxies: [] }, [face]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));

  /** Sends bytes, and reads until `count` responses have come, or the connection ends. */
  async function send(bytes: string, count: number): Promise<readonly string[]> {
    const client = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => {
      client.destroy();
    });
    client.write(bytes);
    let received = '';
    const statuses = () => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
    const ended = once(client, 'close');
    client.on('data', (data) => {
      received += data;
    });
    while (statuses().length < count && !client.closed) await Promise.race([once(client, 'data'), ended]);
    return statuses();
  }
  return { seen, send, sockets, port };
}

const GET = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
const postOf = (body: string) =>
  `POST /fast HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('Pipelined requests', () => {
  test.each([
    ['on the fast path', postOf('{}').repeat(30)],
    ["on Fastify's path", GET.repeat(30)],
    ['on both', (postOf('{}') + GET).repeat(15)],
  ])('run one after the other: %s', async (_, bytes) => {
    const { seen, send } = await serve(2);

    const statuses = await send(bytes, 30);

    expect([statuses.length, seen.began, seen.most]).toEqual([30, 30, 1]);
  });

  test('of other connections run at the same time', async () => {
    const { seen, send } = await serve(20);

    await Promise.all([send(GET.repeat(3), 3), send(GET.repeat(3), 3)]);

    expect(seen.most).toBe(2);
  });

  test('with bodies in many pieces arrive completely', async () => {
    const { seen, send } = await serve(1);
    const large = postOf(`{"a":"${'x'.repeat(90_000)}"}`);

    const statuses = await send((large + GET).repeat(5), 10);

    expect([new Set(statuses).size, statuses.length, seen.began]).toEqual([2, 10, 10]);
  });

  test('are not read while many of them wait, so they take no memory', async () => {
    const { seen, sockets, port } = await serve(10);
    const client = connect(port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => {
      client.destroy();
    });
    client.resume();
    const block = GET.repeat(10_000);
    let isWriting = true;
    const written = (async () => {
      while (isWriting) if (!client.write(block)) await Promise.race([once(client, 'drain'), sleep(50)]);
    })();

    while (seen.began < 20) await sleep(10);
    isWriting = false;
    await written;

    // What the kernel and the parser have taken is bounded, whatever was written.
    expect(sockets[0]?.bytesRead).toBeLessThan(300_000);
  });

  test('let requests on other connections through', async () => {
    const { seen, send } = await serve(0);
    const quick = 'GET /quick HTTP/1.1\r\nHost: a\r\n\r\n';
    const flood = send(GET.repeat(500), 500);
    while (seen.began === 0) await sleep(1);

    await send(quick, 1);
    const begun = seen.began;
    await flood;

    expect([begun < 250, seen.began]).toEqual([true, 500]);
  });

  test('end with their connection: those that wait do not begin', async () => {
    const { seen, port } = await serve(20);
    const client = connect(port, '127.0.0.1').on('error', () => {});
    client.write(GET.repeat(50));
    while (seen.began === 0) await sleep(1);

    client.resetAndDestroy();
    await sleep(200);

    expect(seen.began).toBeLessThan(5);
  });
});
