import { createHmac } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createKey, createTestDatabase, runCommand } from './support/commands.ts';
import { call, dataFolder, firstKeyOf, runProgram, type Service, startService } from './support/program.ts';

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';

/** A receiver that responds with these statuses, and then with 204. */
async function startReceiver(...statuses: number[]) {
  const received: { headers: IncomingHttpHeaders; body: string; at: number }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body, at: Date.now() });
      response.writeHead(statuses.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** The requests that create what a test needs. */
function poster(service: Service, key: string) {
  return async (path: string, fields: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await call(service, key, path, { method: 'POST', body: JSON.stringify(fields), headers });
    return ((await response.json()) as { data: { id: string; secret: string } }).data;
  };
}

/** A clock that is this many minutes ahead. */
function ahead(minutes: number) {
  return { now: () => new Date(Date.now() + minutes * 60_000) };
}

test('the program signs events, and keeps secrets encrypted', async () => {
  const { received, url } = await startReceiver();
  const env = { DATA_DIR: await dataFolder(), WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' };
  const service = await startService(env);
  const post = poster(service, firstKeyOf(service));

  const webhook = await post('/api/v1/webhooks', { url, events: ['website.created'] });
  await post('/api/v1/websites', { url: 'https://bücher.example' });
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);

  const [first] = received;
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = first?.headers ?? {};
  const signer = createHmac('sha256', Buffer.from(webhook.secret.slice('whsec_'.length), 'base64'));
  expect(signature).toBe(`v1,${signer.update(`${id}.${time}.${first?.body}`).digest('base64')}`);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({
    type: 'website.created',
    data: { website: { url: 'https://xn--bcher-kva.example', privacy: 1, has_password: false } },
  });

  expect((await stat(join(env.DATA_DIR, 'secret.key'))).mode & 0o777).toBe(0o600);
  const file = join(env.DATA_DIR, 'backup');
  expect((await runProgram(['backup', file], env)).code).toBe(0);
  const backup = gunzipSync(await readFile(file)).toString('latin1');
  expect(backup).toContain('bcher-kva');
  const secrets = [webhook.secret.slice(6, 30), url, Buffer.from(url).toString('hex')];
  for (const text of [backup, Object.values(service.output()).join()]) {
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});

test('a failed delivery is attempted once more at the time of --at, which is not in the future', async () => {
  const { received, url } = await startReceiver(500);
  const env = {
    ...(await createTestDatabase()),
    SECRET_KEY: 'é'.repeat(32),
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
  };
  const service = await startService(env);
  const post = poster(service, await createKey(env));
  await post('/api/v1/webhooks', { url, events: ['website.created'] });
  await post('/api/v1/websites', { url: 'https://bücher.example' });
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
  const runAt = (minutes: number, clock = ahead(24 * 60)) =>
    runCommand(['webhooks', 'run', '--at', ahead(minutes).now().toISOString()], env, clock);

  const early = await runAt(2, ahead(0));
  const both = await Promise.all([runAt(2), runAt(2)]);
  const again = await runAt(600);

  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('--at is in the future')]);
  expect(both.map(({ stderr }) => stderr).toSorted()).toEqual([
    'Deliveries: 0 delivered, 0 retried, 0 failed.\n',
    'Deliveries: 1 delivered, 0 retried, 0 failed.\n',
  ]);
  expect(again.stderr).toBe('Deliveries: 0 delivered, 0 retried, 0 failed.\n');
  expect(received).toHaveLength(2);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  // Receivers reject a message whose time differs from their clock.
  for (const { headers, at } of received) {
    expect(Math.abs(at / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(10);
  }
});

test('an alert fires once among the service and commands, and goes to webhooks', async () => {
  const { received, url } = await startReceiver();
  const env = {
    ...(await createTestDatabase()),
    SECRET_KEY: 'é'.repeat(32),
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
    PUBLIC_URL: 'http://stats.example',
  };
  const service = await startService(env);
  const post = poster(service, await createKey(env));
  await post('/api/v1/webhooks', { url, events: ['alert.fired'] });
  const { id: website } = await post('/api/v1/websites', { url: 'https://example.com' });
  const { id: alert } = await post(`/api/v1/websites/${website}/alerts`, { rule: 'spike', threshold: 1 });
  const hit = JSON.stringify({ website, url: 'https://example.com/é' });
  const headers = { 'user-agent': AGENT, 'content-type': 'text/plain' };
  expect((await fetch(`${service.url}/hits`, { method: 'POST', body: hit, headers })).status).toBe(202);

  const early = await runCommand(['alerts', 'run', '--at', ahead(1.5).now().toISOString()], env);
  const later = ahead(1.5);
  const runs = await Promise.all([0, 1].map(() => runCommand(['alerts', 'run'], env, later)));
  const again = await runCommand(['alerts', 'run'], env, later);
  const sent = await runCommand(['webhooks', 'run'], env, later);

  expect([early.code, early.stdout, early.stderr]).toEqual([1, '', expect.stringContaining('--at is in the future')]);
  expect([sent.stderr, received.length]).toEqual(['Deliveries: 1 delivered, 0 retried, 0 failed.\n', 1]);
  for (const { code, stderr } of [...runs, again]) {
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^Alerts: [01] fired; mails: 0 sent, 0 retried, 0 failed\.\n$/),
    ]);
  }
  expect(again.stdout).toBe('');
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    type: 'alert.fired',
    data: {
      website: { id: website, url: 'https://example.com' },
      alert: { id: alert, rule: 'spike', number: 1, page_url: `http://stats.example/statistics/${website}` },
    },
  });
});

test('an installation without a key to encrypt with creates no webhook', async () => {
  const env = await createTestDatabase();
  const service = await startService(env);
  const key = await createKey(env);
  const send = (init: RequestInit = {}) => call(service, key, '/api/v1/webhooks', init);

  const rejected = await send({
    method: 'POST',
    body: JSON.stringify({ url: 'https://hooks.example/é', events: ['website.created'] }),
    headers: { 'content-type': 'application/json' },
  });

  expect([rejected.status, await rejected.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'no_secret_key', detail: expect.stringContaining('SECRET_KEY') }),
  ]);
  expect(await (await send()).json()).toMatchObject({ data: [] });
});
