import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { dump } from './support/dump.ts';
import { type ReceivedMail, startMailServer } from './support/mail-server.ts';
import { type Service, startService } from './support/program.ts';

// Mails to people, and a program that is killed (people.md, "Mails").

const PUBLIC_URL = 'http://stats.example';
const PASSWORD = 'correct horse battery';

async function post(service: Service, path: string, form: Record<string, string>, cookie = ''): Promise<Response> {
  const headers = { origin: PUBLIC_URL, cookie };
  const body = new URLSearchParams(form);
  return fetch(service.url + path, { method: 'POST', headers, body, redirect: 'manual' });
}

/** A service that mails, and its owner, who is signed in. */
async function start(accepts?: (mail: ReceivedMail) => boolean) {
  const { DATABASE_URL } = await createTestDatabase();
  const { url: SMTP_URL, mails } = await startMailServer(accepts);
  const env = {
    DATABASE_URL,
    SMTP_URL,
    MAIL_FROM: 'stats@example.com',
    PUBLIC_URL,
    SECRET_KEY: 'a key of the installation, 32 characters long',
    LOG_LEVEL: 'debug',
  };
  const account = (await runCommand(['accounts', 'create', '--name', 'agency'], env)).stdout.trim();
  const link = await runCommand(['people', 'create', '--email', 'owner@example.com'], env);
  const service = await startService(env);
  const joined = await post(service, new URL(link.stdout.trim()).pathname, { name: 'Ægir', password: PASSWORD });
  const cookie = joined.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect([joined.status, cookie]).toEqual([303, expect.stringContaining('session')]);
  const invite = (email: string) =>
    post(service, `/accounts/${account}/invitations`, { email, role: 'viewer', reach: 'all' }, cookie);
  return {
    env,
    service,
    mails,
    invite,
    post: (path: string, form: object) => post(service, path, { ...form }, cookie),
  };
}

const pathIn = ({ text }: ReceivedMail) => /http:\/\/stats\.example(\/\w+\/[\w-]{32})/.exec(unfolded(text))?.[1] ?? '';
/** Long lines of quoted-printable are folded. */
const unfolded = (text: string) => text.replaceAll('=\r\n', '');

async function makeDue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`update task set due_at = now() where kind = 'mail' and state = 'waiting'`);
  await client.end();
}

test('an invitation is mailed once if the program is killed between the commit and the mail', async () => {
  const { env, service, mails, invite } = await start();

  const invited = await invite('new@example.com');
  await service.stop('SIGKILL');
  const before = mails.length;
  // If the mail was being sent, its claim would hold for ten minutes.
  await makeDue(env.DATABASE_URL);
  const again = await startService(env);
  await vi.waitFor(() => expect(mails.length).toBeGreaterThan(0), 20_000);

  expect([invited.status, before]).toEqual([201, expect.any(Number)]);
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(1);
  const [mail] = mails;
  const accepted = await post(again, mail === undefined ? '' : pathIn(mail), { name: 'New', password: PASSWORD });
  expect(accepted.status).toBe(303);
  expect((await runCommand(['people', 'list'], env)).stdout).toContain('new@example.com');
});

test('an invitation is mailed again with the same Message-ID if the program is killed before the reply', async () => {
  const killed: Service[] = [];
  const { env, service, mails, invite } = await start(() => {
    const [victim] = killed.splice(0);
    if (victim === undefined) return true;
    victim.process.kill('SIGKILL');
    return false;
  });
  killed.push(service);

  expect((await invite('new@example.com')).status).toBe(201);
  await vi.waitFor(() => expect(mails).toHaveLength(1), 20_000);
  await service.stop('SIGKILL');
  await makeDue(env.DATABASE_URL);
  await startService(env);
  await vi.waitFor(() => expect(mails).toHaveLength(2), 20_000);

  expect(mails[1]?.messageId).toBe(mails[0]?.messageId);
});

test('no table, log or metric has a token of a mailed link, while the mail waits and after', async () => {
  let accepts = false;
  const { env, service, mails, invite } = await start(() => accepts);
  await invite('new@example.com');
  await post(service, '/forgot', { email: 'nobody@example.com' });
  await vi.waitFor(() => expect(mails.length).toBeGreaterThan(0), 20_000);

  const places = async () => ({
    dump: await dump(env.DATABASE_URL),
    output: Object.values(service.output()).join(),
    metrics: await (await fetch(`${service.url}/metrics`)).text(),
  });
  const waiting = await places();
  accepts = true;
  const token = mails[0] === undefined ? '' : pathIn(mails[0]).slice('/invitations/'.length);
  await fetch(`${service.url}/invitations/${token}`);
  const after = await places();

  expect(token).toMatch(/^[\w-]{32}$/);
  expect(waiting.dump).toContain('new@example.com');
  const forms = [token, Buffer.from(token).toString('hex'), Buffer.from(token).toString('base64')];
  for (const text of [...Object.values(waiting), ...Object.values(after)]) {
    for (const form of forms) expect(text.includes(form)).toBe(false);
  }
});
