import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { certificate } from '@hitherto/testing/certificate';
import { expect, onTestFinished, test } from 'vitest';
import { startSmtpServer } from './smtp-server.ts';
import { aMail } from './support.ts';

// Node reads the certificates that it trusts when it starts.
const SEND = `
  import { createSmtpMailer } from '@hitherto/outside/mail';
  import { ENGLISH } from '@hitherto/words';
  const { url, mail } = JSON.parse(process.argv[1]);
  const sent = { ...mail, locale: ENGLISH, date: new Date(mail.date) };
  await createSmtpMailer({ url, from: 'stats@example.com' }).send(sent);
`;

test('smtps: sends the mail and the password to a server whose certificate is trusted', async () => {
  const tls = await certificate();
  const folder = await mkdtemp(join(tmpdir(), 'hitherto-smtps-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'trusted.pem'), tls.cert);
  const { port, mails } = await startSmtpServer({
    ...tls,
    secure: true,
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 's3cret' ? done(null, { user: username ?? '' }) : done(new Error('no')),
  });
  const job = JSON.stringify({ url: `smtps://owner:s3cret@localhost:${port}`, mail: aMail() });

  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', SEND, job], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem') },
    timeout: 30_000,
  });

  expect(mails.map(({ isEncrypted, user }) => [isEncrypted, user])).toEqual([[true, 'owner']]);
});
