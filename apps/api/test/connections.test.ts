import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { HTTP_TIMEOUTS } from '@hitherto/http';
import { certificate } from '@hitherto/testing/certificate';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen, scaleSocketTimes } from './support/sockets.ts';

// What clients may do with their connections besides sending requests, and what shutdown does to them.

const CONNECT = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';

let tls: Awaited<ReturnType<typeof certificate>>;
beforeAll(async () => {
  tls = await certificate();
});

/** The service, and what connects to it. Clients keep their side open whatever the service does. */
async function start(protocol: 'http' | 'https') {
  const { api } = await listen(protocol === 'https' ? { tls } : {});
  const { server } = api.app;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen on a port.');
  const options = { port: address.port, host: '127.0.0.1', allowHalfOpen: true };

  const dial = (make: () => Socket) => {
    const client = make().on('error', () => {});
    onTestFinished(() => {
      client.destroy();
    });
    return client;
  };
  return {
    api,
    /** A client that speaks the protocol. */
    client: () =>
      dial(() =>
        protocol === 'http' ? connect(options) : connectTls({ ...options, ca: tls.cert, servername: 'localhost' }),
      ),
    /** A connection on which nothing was sent, and the end of the service's side of it. */
    silent: async () => {
      const accepted = once(server, 'connection');
      const client = dial(() => connect(options));
      const [end]: Socket[] = await accepted;
      if (end === undefined) throw new Error('There is no connection.');
      return { client, closed: once(end, 'close') };
    },
  };
}

describe('CONNECT', () => {
  test('gets a response, then the service closes the connection even if the client keeps its side open', async () => {
    const { client, closed } = await (await start('http')).silent();

    client.write(CONNECT);
    const [response] = await once(client, 'data');
    await closed;

    expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('from a client that reads nothing is closed after a timeout', async () => {
    scaleSocketTimes(1 / 100);
    const { client, closed } = await (await start('http')).silent();

    client.pause();
    client.write(`${'GET /openapi.json HTTP/1.1\r\nHost: a.example\r\n\r\n'.repeat(200)}${CONNECT}`);

    await closed;
  });
});

describe('A client that closes its side after its request', () => {
  const GET = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';

  test.each(['http', 'https'] as const)('gets its response, and then the end, over %s', async (protocol) => {
    const { client } = await start(protocol);
    const socket = client();
    let response = '';
    socket.on('data', (data) => {
      response += data;
    });

    socket.end(GET.repeat(2));
    await once(socket, 'end');

    expect(response.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  test('and sent nothing is closed', async () => {
    const { client, closed } = await (await start('http')).silent();

    client.end();

    await closed;
  });

  test('in the middle of its request gets 400, and is closed', async () => {
    const { client, closed } = await (await start('http')).silent();

    client.end('GET /livez HTTP/1.1\r\nHost:');
    const [response] = await once(client, 'data');
    await closed;

    expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('and does not read is closed after a timeout', async () => {
    scaleSocketTimes(1 / 100);
    const { client, closed } = await (await start('http')).silent();

    client.pause();
    client.end('GET /openapi.json HTTP/1.1\r\nHost: a.example\r\n\r\n'.repeat(200));

    await closed;
  });
});

test.each(['/livez', '/nowhere'])(
  'A request for another protocol closes its connection, because what follows it is lost: %s',
  async (path) => {
    const { exchange } = await listen();
    const upgrade = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;

    const { responses, closed } = await exchange(`${upgrade}GET /livez HTTP/1.1\r\nHost: a\r\n\r\n`);

    expect([responses.length, responses[0]?.header('connection'), closed]).toEqual([1, 'close', true]);
  },
);

test.each(['SOURCE /livez ICE/1.0', 'DESCRIBE /livez RTSP/1.0', 'SETUP /livez RTSP/1.0'])(
  'A request of another protocol is 400: %s',
  async (line) => {
    const { exchange } = await listen();

    const { responses } = await exchange(`${line}\r\nHost: a\r\n\r\n`, 1);

    expect(responses[0]?.problem().code).toBe('bad_request');
  },
);

describe('TLS handshakes', () => {
  test('an unfinished handshake is closed after the timeout for headers', async () => {
    const times = scaleSocketTimes(1 / 100);

    const { closed } = await (await start('https')).silent();
    await closed;

    expect(times).toEqual([HTTP_TIMEOUTS.headers]);
  });

  test('shutdown does not wait for an unfinished handshake', async () => {
    scaleSocketTimes(100);
    const { api, silent } = await start('https');
    const { closed } = await silent();

    await api.app.close();

    await closed;
  });
});

describe('shutdown', () => {
  test.each([
    ['over http', 'http', ''],
    ['over https', 'https', ''],
    ['with an unknown expectation', 'http', 'Expect: the best\r\n'],
  ] as const)('waits until an accepted request has arrived, %s', async (_name, protocol, header) => {
    const { api, client, silent } = await start(protocol);
    const accepted = once(api.app.server, 'request');
    const socket = client();
    let response = '';
    socket.on('data', (data) => {
      response += data;
    });
    const ended = once(socket, 'end');
    const type = 'Content-Type: application/x-www-form-urlencoded';
    const lines = ['POST /api/v1/websites HTTP/1.1', 'Host: a', `Authorization: Bearer ${api.key}`, type];
    socket.write(`${lines.join('\r\n')}\r\n${header}Content-Length: 21\r\n\r\nurl=https://`);
    await accepted;
    const { closed } = await silent();

    const stopped = api.app.close();
    await closed;
    socket.end('a.example');
    await Promise.all([ended, stopped]);

    expect(response).toMatch(/^HTTP\/1\.1 201 /);
  });
});
