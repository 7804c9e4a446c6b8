import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get, request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { certificate } from '@hitherto/testing/certificate';
import { describe, expect, test } from 'vitest';
import { runCommand } from './support/commands.ts';
import { emptyFolder, startService } from './support/program.ts';

/** The service speaking https, without a database, and the status of a request to it. */
async function startTls() {
  const folder = await emptyFolder();
  const { cert, key } = await certificate();
  const files = { TLS_CERT: join(folder, 'cert.pem'), TLS_KEY: join(folder, 'key.pem') };
  await Promise.all([writeFile(files.TLS_CERT, cert), writeFile(files.TLS_KEY, key)]);
  const service = await startService(
    { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none', ...files },
    '"msg":"listening',
  );
  const statusOf = (path: string) =>
    new Promise((resolve, reject) => {
      const options = { ca: cert, agent: false as const };
      get(service.url + path, options, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
  return { service, port: Number(new URL(service.url).port), cert, statusOf };
}

describe('TLS_CERT and TLS_KEY', () => {
  test('the port speaks only HTTPS', async () => {
    const { service, statusOf } = await startTls();

    const status = await statusOf('/livez');
    const plain = fetch(`${service.url.replace('https:', 'http:')}/livez`);

    expect(service.url).toMatch(/^https:/);
    expect(status).toBe(200);
    await expect(plain).rejects.toThrow();
    await service.stop();
  });

  test('every response lets browsers use https alone for the host, also one to a hit', async () => {
    const { service, cert } = await startTls();
    const headerOf = async (method: string, path: string) => {
      const sent = request(service.url + path, { method, ca: cert, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response.resume().headers['strict-transport-security'];
    };

    for (const [method, path] of [
      ['GET', '/livez'],
      ['GET', '/nothing'],
      ['POST', '/hits'],
      ['GET', '/hits.gif?website=x'],
    ] as const) {
      expect(await headerOf(method, path)).toBe('max-age=31536000');
    }
    await service.stop();
  });

  test('connections with an unfinished handshake do not keep the service from exiting with 0', async () => {
    const { service, port, statusOf } = await startTls();
    const silent = connect(port, '127.0.0.1').on('error', () => {});
    const halfSent = connect(port, '127.0.0.1').on('error', () => {});
    halfSent.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
    await Promise.all([once(silent, 'connect'), once(halfSent, 'connect')]);
    await statusOf('/livez');

    const { code } = await service.stop();

    expect(code).toBe(0);
  });

  test('a client that resets its connection after CONNECT does not stop the service', async () => {
    const { service, port, cert, statusOf } = await startTls();
    const connection = connect(port, '127.0.0.1').on('error', () => {});
    const closed = once(connection, 'close');
    const secure = connectTls({ socket: connection, ca: cert, servername: 'localhost' }).on('error', () => {});

    secure.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', () => connection.resetAndDestroy());
    await closed;
    const status = await statusOf('/livez');
    const { code } = await service.stop();

    expect([status, code]).toEqual([200, 0]);
  });

  test('a setting whose file cannot be read or holds no certificate is named', async () => {
    const folder = await emptyFolder();
    const TLS_CERT = join(folder, 'cert.pem');
    const TLS_KEY = join(folder, 'key.pem');
    await writeFile(TLS_CERT, 'no certificate');

    const unread = await runCommand(['serve'], { TLS_CERT, TLS_KEY });
    await writeFile(TLS_KEY, 'no key');
    const unusable = await runCommand(['serve'], { TLS_CERT, TLS_KEY });

    expect([unread.code, unread.stderr]).toEqual([1, expect.stringContaining('TLS_KEY')]);
    expect([unusable.code, unusable.stderr]).toEqual([1, expect.stringContaining('TLS_CERT')]);
  });
});
