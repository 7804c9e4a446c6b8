import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { storedText } from '@hitherto/domain/base';
import { type WebhookMessage, WebhookUnreachable } from '@hitherto/domain/webhooks';
import { certificate } from '@hitherto/testing/certificate';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWebhookClient, type WebhookClientOptions } from '../../src/webhooks/client.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const LOCAL = ['127.0.0.0/8', '::1'];
const REFUSED =
  'The address is not on the public internet, or does not exist. WEBHOOK_ALLOW_PRIVATE lists private networks to allow.';

interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver on this machine, and what it has received. */
async function startReceiver(respond: RequestListener = (_, response) => response.writeHead(204).end()) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const { method, url: path, headers } = request;
      received.push({ method, path, headers, body });
      respond(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, received };
}

const send = (url: string, options: Partial<WebhookClientOptions> = {}, message: Partial<WebhookMessage> = {}) =>
  createWebhookClient({ allowedNetworks: LOCAL, ...options }).send({
    url,
    body: '{"é":"🦊"}',
    id: 'the-id',
    secret: SECRET,
    ...message,
  });

describe('a message', () => {
  it('is signed as Standard Webhooks say', async () => {
    const { port, received } = await startReceiver();

    expect(await send(`http://127.0.0.1:${port}/hook?a=b`)).toBe(204);

    const [{ method, path, headers, body } = unreceived()] = received;
    expect([method, path]).toEqual(['POST', '/hook?a=b']);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'webhook-id': 'the-id' });
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(SECRET).verify(body, signed)).toEqual({ é: '🦊' });
    expect(() => new Webhook(SECRET).verify(`${body} `, signed)).toThrow();
  });

  it('is not signed without a secret', async () => {
    const { port, received } = await startReceiver();

    await send(`http://127.0.0.1:${port}/`, {}, { secret: null });

    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('follows no redirect', async () => {
    const target = await startReceiver();
    const { port } = await startReceiver((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${target.port}/` }).end(),
    );

    expect(await send(`http://127.0.0.1:${port}/`)).toBe(302);
    expect(target.received).toEqual([]);
  });

  it('has 10 seconds, the body of the response aside', async () => {
    const silent = await startReceiver(() => {});
    const endless = await startReceiver((_, response) => {
      response.writeHead(200).write('a');
    });

    await expect(send(`http://127.0.0.1:${silent.port}/`, { timeoutMs: 200 })).rejects.toThrow(
      new WebhookUnreachable(storedText('noResponseWithin', 0.2)),
    );
    expect(await send(`http://127.0.0.1:${endless.port}/`, { timeoutMs: 200 })).toBe(200);
  });

  it('has the status 101 where the receiver changes the protocol, and is over then', async () => {
    const { port } = await startReceiver((request) => {
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });

    expect(await send(`http://127.0.0.1:${port}/`)).toBe(101);
  });

  it('has 10 seconds, its name included', async () => {
    const resolve = () => new Promise<never>(() => {});

    await expect(send('http://slow.example/', { resolve, timeoutMs: 200 })).rejects.toThrow('within 0.2 seconds');
  });

  it('reads at most 64 KiB of a response', async () => {
    let sent = 0;
    const stopped = new Promise<void>((resolve) => {
      void startReceiver((_, response) => {
        response.writeHead(200);
        const write = () => {
          if (response.destroyed) return resolve();
          sent += 16_384;
          response.write(Buffer.alloc(16_384));
          setImmediate(write);
        };
        response.on('close', resolve);
        write();
      }).then(({ port }) => send(`http://127.0.0.1:${port}/`));
    });

    await stopped;
    // The rest was on its way when the connection was cut.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('needs a certificate that holds', async () => {
    const server = createHttpsServer(await certificate(), (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());

    await expect(send(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)).rejects.toThrow(
      /There was no response \(.*SELF_SIGNED.*\)/,
    );
  });
});

describe('a request to a private network', () => {
  it.each([
    '127.0.0.1',
    'localhost',
    'LOCALHOST.',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[::127.0.0.1]',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00::1]',
  ])('is rejected, whatever the notation: %s', async (host) => {
    const { port, received } = await startReceiver();

    await expect(send(`http://${host}:${port}/`, { allowedNetworks: [] })).rejects.toThrow(
      new WebhookUnreachable(storedText('privateAddress')),
    );
    expect(received).toEqual([]);
  });

  it.each([
    ['inside', ['127.0.0.1']],
    ['inside and outside', ['93.184.215.14', '127.0.0.1']],
    ['outside and inside', ['127.0.0.1', '93.184.215.14']],
    ['inside as IPv6', ['::ffff:7f00:1']],
    ['nowhere', []],
  ])('is rejected if the name resolves to %s', async (_, addresses) => {
    const { port, received } = await startReceiver();
    const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

    await expect(send(`http://name.example:${port}/`, { allowedNetworks: [], resolve })).rejects.toThrow(REFUSED);
    expect(received).toEqual([]);
  });

  it.each(['93.184.215.14', '[::ffff:93.184.215.14]', '[2606:4700:1:2::3]', '[2606:4700:1:2:a::1]'])(
    'is rejected once this machine has it, or its IPv6 network: %s',
    async (host) => {
      const own: string[] = [];
      const client = createWebhookClient({ allowedNetworks: [], ownAddresses: () => own });

      own.push('93.184.215.14', '2606:4700:1:2::3');

      await expect(client.send({ url: `http://${host}/`, body: '', id: 'id', secret: null })).rejects.toThrow(REFUSED);
    },
  );

  it('says the same of an open port, a closed one, and a name that does not exist', async () => {
    const { port } = await startReceiver();
    const resolve = () => Promise.reject(new Error('ENOTFOUND'));
    const errorOf = (url: string, options: Partial<WebhookClientOptions> = {}) =>
      send(url, { allowedNetworks: [], ...options }).catch((error: unknown) => error);

    const errors = await Promise.all([
      errorOf(`http://127.0.0.1:${port}/`),
      errorOf('http://127.0.0.1:1/'),
      errorOf('http://no.example/', { resolve }),
    ]);

    expect(errors).toEqual(Array.from({ length: 3 }, () => new WebhookUnreachable(storedText('privateAddress'))));
  });

  it('gains nothing by a name that changes: it is resolved once, and the connection goes to that address', async () => {
    const { port, received } = await startReceiver();
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };

    // 127.0.0.1 stands for the public address that was checked first.
    await send(`http://rebinding.example:${port}/`, { allowedNetworks: ['127.0.0.1'], resolve });

    expect(asked).toBe(1);
    expect(received[0]?.headers.host).toBe(`rebinding.example:${port}`);
    await expect(
      send(`http://rebinding.example:${port}/`, { allowedNetworks: ['127.0.0.1'], resolve }),
    ).rejects.toThrow(REFUSED);
  });

  it('reaches what WEBHOOK_ALLOW_PRIVATE allows', async () => {
    const { port, received } = await startReceiver();

    expect(await send(`http://localhost:${port}/`)).toBe(204);
    expect(received).toHaveLength(1);
  });
});

function unreceived(): never {
  throw new Error('Nothing was received.');
}
