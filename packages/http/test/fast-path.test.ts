import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  addFastRoute,
  createMetrics,
  createServer,
  decodeJsonBodies,
  type Face,
  type FastRoute,
  HttpProblem,
  sendProblem,
} from '../src/index.ts';

const BODIES = { types: ['text/plain', 'application/json'], limit: 200 };

/** A face with a route at `/hits`; `viaFastify` has the paths of the requests that Fastify got. */
async function serve(take: FastRoute['take'], trustedProxies: readonly string[] = []) {
  const viaFastify: string[] = [];
  const face: Face = {
    sendError: sendProblem,
    register(scope: FastifyInstance) {
      scope.addHook('onRequest', (request, reply, done) => {
        viaFastify.push(request.url);
        reply.header('x-face', 'é').header('cache-control', 'no-store');
        done();
      });
      decodeJsonBodies(scope, BODIES.types, BODIES.limit);
      const headers = { 'x-face': 'é', 'cache-control': 'no-store' };
      addFastRoute(scope, '/hits', { bodies: BODIES, headers, take }, {});
    },
  };
  const metrics = createMetrics();
  const app = await createServer({ logger: pino({ level: 'silent' }), metrics, trustedProxies }, [face]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;

  /** Sends pieces of bytes, and returns everything that comes back until the last response is complete; without ids and dates. */
  async function send(...pieces: (string | Buffer)[]): Promise<string> {
    const requests = pieces.join('').match(/ HTTP\/1\.1\r\n/g)?.length ?? 0;
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const responded = new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (responsesIn(received) === requests) resolve();
      });
      socket.on('close', () => resolve()).on('error', () => {});
    });
    for (const piece of pieces) {
      socket.write(piece);
      await sleep(20);
    }
    await responded;
    socket.destroy();
    return received.replace(/^date: .*$/gim, 'date').replace(/[\da-f-]{36}/g, 'ID');
  }

  /** How many requests took at most 50 ms, and how many there were. */
  async function timesOf(status: number): Promise<unknown[]> {
    const lines = (await metrics.text()).split('\n').filter((line) => line.includes(`status="${status}"`));
    return ['_bucket.*le="0.05"', '_count'].map(
      (name) => lines.find((line) => new RegExp(name).test(line))?.split(' ')[1],
    );
  }
  return { app, metrics, viaFastify, send, timesOf };
}

/** The number of complete responses. */
function responsesIn(received: string): number {
  const end = received.indexOf('\r\n\r\n') + 4;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
  if (end === 3 || received.length < end + length) return 0;
  return 1 + responsesIn(received.slice(end + length));
}

function requestOf(body: string, headers = 'Content-Type: text/plain\r\n', path = '/hits'): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe('An ordinary request', () => {
  test.each(['text/plain', 'application/json', 'text/plain;charset=UTF-8', 'application/json; charset=utf-8'])(
    'of type %s is taken without Fastify',
    async (type) => {
      const taken: object[] = [];
      const { send, viaFastify } = await serve(async (body) => {
        taken.push(body);
        return { 'x-outcome': 'taken' };
      });

      const response = await send(requestOf('{"a":"é"}', `Content-Type: ${type}\r\n`));

      expect(response).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
      expect(response).toMatch(/\r\nx-outcome: taken\r\n/);
      expect([taken, viaFastify]).toEqual([[{ a: 'é' }], []]);
    },
  );

  test('may arrive in pieces, and others may follow on its connection before its response', async () => {
    const taken: object[] = [];
    const { send, viaFastify } = await serve(async (body) => {
      taken.push(body);
      await sleep(30);
      return {};
    });
    const bytes = Buffer.from(requestOf('{"a":"é"}') + requestOf('{"b":1}') + requestOf('{"c":1}'));

    const response = await send(...[0, 30, 70, 86, 87, 110].map((at, n, all) => bytes.subarray(at, all[n + 1])));

    expect(response.match(/HTTP\/1\.1 202/g)).toHaveLength(3);
    expect([taken, viaFastify]).toEqual([[{ a: 'é' }, { b: 1 }, { c: 1 }], []]);
  });

  test('is of the client that a trusted proxy names', async () => {
    const ips: unknown[] = [];
    const { send } = await serve(
      async (_body, { ip }) => {
        ips.push(ip);
        return {};
      },
      ['127.0.0.1', '10.0.0.0/8'],
    );
    const forwarded = ['192.0.2.1', '192.0.2.2, 10.1.1.1', '192.0.2.3, 192.0.2.4, 10.1.1.1', ' ', 'x'];

    for (const path of ['/hits', '/hits?']) {
      for (const value of forwarded) {
        await send(requestOf('{}', `Content-Type: text/plain\r\nX-Forwarded-For: ${value}\r\n`, path));
      }
      await send(requestOf('{}', undefined, path));
    }

    const expected = ['192.0.2.1', '192.0.2.2', '192.0.2.4', '127.0.0.1', 'x', '127.0.0.1'];
    expect(ips).toEqual([...expected, ...expected]);
  });

  test('counts in the metrics with its time', async () => {
    const { send, timesOf } = await serve(async () => {
      await sleep(60);
      return {};
    });

    await send(requestOf('{}'));

    expect(await timesOf(202)).toEqual(['0', '1']);
  });
});

describe('Fastify serves', () => {
  test.each<[string, string, string]>([
    ['another spelling of the path', '202', requestOf('{}', undefined, '/hits?')],
    ['another method', '405', 'GET /hits HTTP/1.1\r\nHost: a\r\n\r\n'],
    [
      'a body without a length',
      '202',
      'POST /hits HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ],
    ['a body that is too long', '413', requestOf(`{"a":"${'x'.repeat(200)}"}`)],
    ['another type', '415', requestOf('{}', 'Content-Type: text/html\r\n')],
    ['a longer type', '415', requestOf('{}', 'Content-Type: text/plainer\r\n')],
    ['another charset', '415', requestOf('{}', 'Content-Type: text/plain;charset=latin1\r\n')],
    ['no type', '415', requestOf('{}', '')],
    ['two types', '400', requestOf('{}', 'Content-Type: text/plain\r\nContent-Type: text/plain\r\n')],
    ['an encoded body', '415', requestOf('{}', 'Content-Type: text/plain\r\nContent-Encoding: gzip\r\n')],
    ['two hosts', '400', requestOf('{}', 'Content-Type: text/plain\r\nHost: b\r\n')],
    ['headers that are too large', '431', requestOf('{}', `Content-Type: text/plain\r\n${'a:b\r\n'.repeat(3_000)}`)],
  ])('a request with %s: %s', async (_, status, bytes) => {
    const taken: string[][] = [];
    const { send, viaFastify } = await serve(async () => {
      taken.push([...viaFastify]);
      return {};
    });

    const response = await send(bytes);

    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(taken.map(({ length }) => length)).toEqual(status === '202' ? [1] : []);
  });

  test.each<[string, string, FastRoute['take']]>([
    ['malformed JSON', '{', async () => ({})],
    ['no object', '[]', async () => ({})],
    ['an empty body', '', async () => Promise.reject(new HttpProblem('validation'))],
    ['a rejected body', '{}', async () => Promise.reject(new HttpProblem('rate_limited', 'é', { 'retry-after': '7' }))],
    ['a failure', '{}', async () => Promise.reject(new Error('é'))],
    ['an accepted body', '{}', async () => ({ 'x-outcome': 'é' })],
  ])('%s with the same bytes as the fast path', async (_, body, take) => {
    const { send } = await serve(take);

    const [fast, slow] = [await send(requestOf(body)), await send(requestOf(body, undefined, '/hits?'))];

    expect(fast).toBe(slow);
  });

  test('the error of a request, whose metrics have all of its time', async () => {
    const { send, metrics, timesOf } = await serve(async () => {
      await sleep(60);
      throw new HttpProblem('unavailable');
    });

    const response = await send(requestOf('{}'));

    expect(response).toMatch(/^HTTP\/1\.1 503 /);
    expect(await timesOf(503)).toEqual(['0', '1']);
    expect(await metrics.text()).toContain('hitherto_problems_total{code="unavailable"} 1');
  });

  test('a request whose connection ends before its body is complete', async () => {
    let taken = 0;
    const { app, send, viaFastify } = await serve(async () => {
      taken += 1;
      return {};
    });
    app.server.on('request', ({ socket }) => setTimeout(() => socket.destroy(), 20));

    await send('POST /hits HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n{').catch(
      () => '',
    );
    await sleep(50);

    expect([taken, viaFastify]).toEqual([0, ['/hits']]);
  });

  test('a body that cannot be read, after which the connection takes the next request', async () => {
    const { send, viaFastify } = await serve(async () => ({}));

    const malformed = await send(requestOf('{"a":'), requestOf('{}'));
    const deep = await send(requestOf(`{"a":${'['.repeat(90)}${']'.repeat(90)}}`), requestOf('{}'));

    for (const response of [malformed, deep]) {
      expect(response).toMatch(/^HTTP\/1\.1 400 [\s\S]*HTTP\/1\.1 202 /);
      expect(response).not.toMatch(/\r\nConnection: close\r\n/i);
    }
    expect(deep).toContain('at most 64 levels deep');
    expect(viaFastify).toEqual(['/hits', '/hits']);
  });

  test('requests of a stop, each of which closes its connection', async () => {
    const { app, send, viaFastify } = await serve(async () => ({}));
    await send(requestOf('{}'));
    const stopping = app.close();

    const response = await send(requestOf('{}'));
    await stopping;

    expect(response).toMatch(/\r\nConnection: close\r\n/);
    expect(viaFastify).toEqual(['/hits']);
  });
});

test('a client that leaves while its request is being taken ends nothing else', async () => {
  let taken = 0;
  const { app, send, viaFastify } = await serve(async () => {
    taken += 1;
    await sleep(60);
    return {};
  });
  app.server.once('request', ({ socket }) => setTimeout(() => socket.resetAndDestroy(), 20));

  await send(requestOf('{}')).catch(() => '');
  await sleep(60);
  const next = await send(requestOf('{}'));

  expect([taken, viaFastify]).toEqual([2, []]);
  expect(next).toMatch(/^HTTP\/1\.1 202 /);
});
