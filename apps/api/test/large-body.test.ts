import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startApiForTest } from './support/api.ts';

test('At most 1 MiB, else 413: a client that goes on writing still gets the response', async () => {
  const api = await startApiForTest();
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const length = 20 * 1_048_576;
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });

  socket.write(
    `POST /api/v1/websites HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  for (let sent = 0; sent < length; sent += 65_536) {
    if (!socket.write(Buffer.alloc(65_536, 0x20))) await once(socket, 'drain');
  }
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');

  expect(response.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});
