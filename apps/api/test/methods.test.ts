import { METHODS } from 'node:http';
import { describe, expect, test } from 'vitest';
import { listen } from './support/sockets.ts';

// api.md, "Errors", on real sockets: expectations and methods.

const LIST = '/api/v1/websites';
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const HOST = 'Host: a.example';

describe('Expect', () => {
  test.each(['100-continue', '200-ok', 'nonsense'])('a request with Expect: %s is served', async (expectation) => {
    const { api, exchange } = await listen();
    const body = 'url=https://expect.example';

    const { responses } = await exchange(
      head(
        `POST ${LIST} HTTP/1.1`,
        HOST,
        `Authorization: Bearer ${api.key}`,
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
        `Expect: ${expectation}`,
      ) + body,
      expectation === '100-continue' ? 2 : 1,
    );

    expect(responses.at(-1)?.status).toBe(201);
  });
});

describe('405 has Allow with exactly the methods that work', () => {
  const unusual = [
    'TRACE',
    'PROPFIND',
    'MKCOL',
    'LOCK',
    'SEARCH',
    'PURGE',
    'LINK',
    'M-SEARCH',
    'SOURCE',
    'REPORT',
    'COPY',
    // The oldest versions of Node do not know it.
    ...METHODS.filter((method) => method === 'QUERY'),
  ];

  test.each(unusual)('%s is 405 on every path, without a key', async (method) => {
    const { exchange } = await listen();

    for (const [path, allow] of [
      [LIST, 'GET, HEAD, OPTIONS, POST'],
      [`${LIST}/x`, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'],
      ['/websites/x/destroy', 'DELETE, OPTIONS'],
      ['/livez', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const { responses } = await exchange(head(`${method} ${path} HTTP/1.1`, HOST), 1);
      expect([responses[0]?.problem().code, responses[0]?.header('allow')]).toEqual(['method_not_allowed', allow]);
    }
    const { responses } = await exchange(head(`${method} /nowhere HTTP/1.1`, HOST), 1);
    expect(responses[0]?.status).toBe(404);
  });

  test('each method that Allow names is served, and no other', async () => {
    const { api } = await listen();
    for (const path of [LIST, `${LIST}/x`, '/websites/x/destroy', '/livez', '/docs', '/problems/internal']) {
      const allowed = (await api.send('OPTIONS', path)).header('allow')?.split(', ') ?? [];
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, header } = await api.send(method, path);
        expect([path, method, status !== 405]).toEqual([path, method, allowed.includes(method)]);
        if (status === 405) expect(header('allow')).toBe(allowed.join(', '));
      }
    }
  });

  test('CONNECT is 400, and the connection is closed', async () => {
    const { exchange } = await listen();

    const { responses, closed } = await exchange(head('CONNECT a.example:443 HTTP/1.1', HOST));

    expect([responses.map(({ status }) => status), closed]).toEqual([[400], true]);
  });

  test('Upgrade is ignored, and the request is served', async () => {
    const { exchange } = await listen();

    const { responses } = await exchange(
      head('GET /livez HTTP/1.1', HOST, 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
      1,
    );

    expect(responses[0]?.status).toBe(200);
  });
});
