import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { totpCode } from '@hitherto/testing/totp-code';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { dump } from './support/dump.ts';
import { call, emptyFolder, startService } from './support/program.ts';

// docs/security.md, "Secrets".

/** A receiver that fails, and tells what it got, as hostile ones do. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(500).end(request.url));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A secret as it stands in text, and in the forms in which a database or a log may have it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), whole.toString('base64')];
}

test('no table, backup, log, metric or list has a token, a secret, a password or a key in clear', async () => {
  const { DATABASE_URL } = await createTestDatabase();
  const env = {
    DATABASE_URL,
    SECRET_KEY: 'a key of the installation, 32 characters long',
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.1',
  };
  const run = async (...args: string[]) => (await runCommand(args, { DATABASE_URL })).stdout.trim();
  await run('accounts', 'create', '--name', 'agency');
  const key = await run('keys', 'create', '--account', 'agency');
  const service = await startService({ ...env, LOG_LEVEL: 'debug' });
  const post = async (path: string, fields: object, headers = {}) => {
    const sent = { 'content-type': 'application/json', ...headers };
    const response = await call(service, key, path, { method: 'POST', body: JSON.stringify(fields), headers: sent });
    expect(response.ok, await response.clone().text()).toBe(true);
    return ((await response.json()) as { data: { id: string; secret: string; address: string } }).data;
  };
  const open = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { origin: service.url, ...headers },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const cookieOf = (response: Response) => /=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';

  // Everything that has a secret, and uses of it that succeed and fail.
  const receiver = await startReceiver();
  const events = ['website.created', 'website.updated', 'website.deleted', 'alert.fired'];
  const signed = await post('/api/v1/webhooks', { url: `${receiver}/hook?token=of-the-url-7Q`, events });
  const chat = await post('/api/v1/webhooks', { url: `${receiver}/chat/of-the-chat-8R`, events, format: 'slack' });
  const idempotency = { 'idempotency-key': 'of-a-request-9S' };
  const fields = { url: 'https://a.example', privacy: 2, password: 'of-the-page-éT' };
  const { id } = await post('/api/v1/websites', fields, idempotency);
  const website = `/api/v1/websites/${id}`;
  const link = await post(`${website}/links`, { name: 'For the board', password: 'of-the-link-U' });
  const revoked = await post(`${website}/links`, { name: 'Revoked' });
  expect((await fetch(service.url + revoked.address)).status).toBe(200);
  await call(service, key, `${website}/links/${revoked.id}`, { method: 'DELETE' });
  await fetch(`${service.url}${revoked.address}/by/page.csv?token=${link.address}`);
  await call(service, key, website, { method: 'PATCH', body: new URLSearchParams({ password: 'of-the-page-new-V' }) });
  const unlockedPage = await open(`/statistics/${id}/unlock`, { password: 'of-the-page-new-V' });
  const unlockedLink = await open(`${link.address}/unlock`, { password: 'of-the-link-U' });
  await open(`${link.address}/unlock`, { password: 'guessed-W' });
  const session = await open('/sign-in', { key });
  const invitation =
    (await run('people', 'create', '--email', 'a@example.com', '--account', 'agency')).split('/').at(-1) ?? '';
  const joined = await open(`/invitations/${invitation}`, { name: 'é', password: 'of-the-person-éX' });
  const person = { cookie: joined.headers.get('set-cookie')?.split(';')[0] ?? '' };
  const appPage = '/you/second-factor/app';
  const shown = await (await fetch(service.url + appPage, { headers: person })).text();
  const [, appSecret = ''] = /name="secret" value="([A-Z2-7]+)"/.exec(shown) ?? [];
  const confirmed = { secret: appSecret, code: totpCode(appSecret, new Date()), current_password: 'of-the-person-éX' };
  const recovery = /<code>([a-z2-7-]{30})</.exec(await (await open(appPage, confirmed, person)).text())?.[1] ?? '';
  const waiting = await open('/sign-in', { email: 'a@example.com', password: 'of-the-person-éX' });
  await open('/sign-in/second-factor', { code: recovery }, { cookie: `hitherto_sign_in=${cookieOf(waiting)}` });
  const second = await run('keys', 'create', '--account', 'agency', '--label', 'second');
  await fetch(`${service.url}/api/v1/websites`, { headers: { authorization: `Bearer ${second}x` } });
  for (const { id: webhook } of [signed, chat]) await post(`/api/v1/webhooks/${webhook}/test`, {});
  const file = join(await emptyFolder(), 'settings.backup');
  await run('backup', '--settings', file);

  const places = {
    dump: await dump(DATABASE_URL),
    backup: gunzipSync(await readFile(file)).toString(),
    output: Object.values(service.output()).join(),
    metrics: await (await fetch(`${service.url}/metrics`)).text(),
    audit: await (await call(service, key, '/api/v1/audit?per_page=100')).text(),
    deliveries: await (await call(service, key, `/api/v1/webhooks/${signed.id}/deliveries`)).text(),
  };
  const secrets = {
    key,
    second,
    signature: signed.secret,
    signatureBytes: Buffer.from(signed.secret.slice('whsec_'.length), 'base64').toString('hex'),
    url: 'of-the-url-7Q',
    chat: 'of-the-chat-8R',
    link: link.address.slice('/share/'.length),
    revoked: revoked.address.slice('/share/'.length),
    idempotency: 'of-a-request-9S',
    page: 'of-the-page-éT',
    pageNew: 'of-the-page-new-V',
    linkPassword: 'of-the-link-U',
    guess: 'guessed-W',
    session: cookieOf(session),
    invitation,
    person: cookieOf(joined),
    personPassword: 'of-the-person-éX',
    appSecret,
    recovery,
    recoveryPlain: recovery.replaceAll('-', ''),
    waiting: cookieOf(waiting),
    unlockedPage: cookieOf(unlockedPage),
    unlockedLink: cookieOf(unlockedLink),
    secretKey: env.SECRET_KEY,
  };

  // What was done is there, so that the search looks at the right places.
  for (const known of [
    'audit_entry',
    'webhook_delivery',
    'shared_link',
    'session',
    'second_factor',
    'For the board',
    '$argon2id$',
  ]) {
    expect(places.dump).toContain(known);
  }
  expect(places.deliveries).toContain('The response had status 500.');
  for (const text of [places.backup, places.audit]) expect(text).toContain('For the board');
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(8);
    for (const [place, text] of Object.entries(places)) {
      for (const form of formsOf(secret)) expect(text.includes(form), `${name} in ${place}, as ${form}`).toBe(false);
    }
  }
});
