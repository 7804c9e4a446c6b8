import { createServer, type Socket } from 'node:net';
import { MailFailed } from '@hitherto/domain/reports';
import { certificate } from '@hitherto/testing/certificate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composeReport, createSmtpMailer } from '../../src/mail/mailer.ts';
import { response, startSmtpServer } from './smtp-server.ts';
import { aMail } from './support.ts';

const FROM = 'Statistics <stats@example.com>';

async function failureOf(sending: Promise<void>): Promise<string> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailFailed)) throw new Error('No failure of the mail.', { cause: error });
  return error.detail;
}

describe('a mail server', () => {
  test('gets the message that a preview shows', async () => {
    const { port, mails } = await startSmtpServer();

    await createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(aMail());

    expect(mails).toEqual([
      {
        from: 'stats@example.com',
        to: ['owner@example.com'],
        isEncrypted: false,
        user: undefined,
        message: await composeReport(FROM, aMail()),
      },
    ]);
  });

  test('gets the user and the password', async () => {
    const { port, mails } = await startSmtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p@ß w:ord' ? done(null, { user: username ?? '' }) : done(new Error('no')),
    });
    const credentials = `${encodeURIComponent('us/er@example.com')}:${encodeURIComponent('p@ß w:ord')}`;

    await createSmtpMailer({ url: `smtp://${credentials}@127.0.0.1:${port}`, from: FROM }).send(aMail());

    expect(mails.map(({ user }) => user)).toEqual(['us/er@example.com']);
  });

  test('gets the mail encrypted if it offers STARTTLS, whoever signed its certificate', async () => {
    const { port, mails } = await startSmtpServer({ ...(await certificate()), disabledCommands: [] });

    await createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(aMail());

    expect(mails.map(({ isEncrypted }) => isEncrypted)).toEqual([true]);
  });

  test('gets non-ASCII addresses', async () => {
    const { port, mails } = await startSmtpServer();
    const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: 'stats@exämple.example' });

    await mailer.send(aMail({ to: 'owner@bücher.example' }));
    await mailer.send(aMail({ to: 'jürgen@bücher.example' }));

    expect(mails.map(({ from, to }) => [from, ...to])).toEqual([
      ['stats@exämple.example', 'owner@bücher.example'],
      ['stats@exämple.example', 'jürgen@bücher.example'],
    ]);
  });

  test('gets a temporarily refused mail when it is sent again', async () => {
    const { port, mails } = await startSmtpServer({}, (count) =>
      count === 1 ? response(451, '4.7.1 Greylisted, try again later') : undefined,
    );
    const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM });

    const failure = await failureOf(mailer.send(aMail()));
    await mailer.send(aMail());

    expect(failure).toMatch(/451 4\.7\.1 Greylisted, try again later/);
    expect(mails).toHaveLength(1);
  });
});

describe('a mail fails', () => {
  test('with the response of a server that rejects it', async () => {
    const { port } = await startSmtpServer({
      onRcptTo: (_address, _session, done) => done(response(550, `5.1.1 No such user here ${'x'.repeat(2_000)}`)),
    });

    const failure = await failureOf(createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(aMail()));

    expect(failure).toMatch(/550 5\.1\.1 No such user here/);
    expect(failure.length).toBeLessThanOrEqual(500);
  });

  test('without revealing the password, even if the server repeats it', async () => {
    const { port } = await startSmtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      authMethods: ['PLAIN'],
      onAuth: ({ username, password }, _session, done) =>
        done(response(535, `5.7.8 ${username} ${password} ${btoa(`\0${username}\0${password}`)} is wrong`)),
    });

    const failure = await failureOf(
      createSmtpMailer({ url: `smtp://owner:s3cret@127.0.0.1:${port}`, from: FROM }).send(aMail()),
    );

    expect(failure).toMatch(/535 5\.7\.8 \*\*\* \*\*\* \*\*\* is wrong/);
  });

  test('if the certificate of an smtps: server is not trusted', async () => {
    const { port, mails } = await startSmtpServer({ ...(await certificate()), secure: true });

    const failure = await failureOf(createSmtpMailer({ url: `smtps://localhost:${port}`, from: FROM }).send(aMail()));

    expect(failure).toMatch(/self-signed certificate/);
    expect(mails).toEqual([]);
  });

  test('if a password would leave this machine unencrypted', async () => {
    const { port, mails } = await startSmtpServer({
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(null, {}),
    });

    // An address of this machine that does not count as local.
    const failure = await failureOf(
      createSmtpMailer({ url: `smtp://owner:s3cret@[::ffff:127.0.0.1]:${port}`, from: FROM }).send(aMail()),
    );

    expect(failure).toMatch(/TLS/);
    expect(mails).toEqual([]);
  });

  test('if the connection breaks within the message', async () => {
    let isMessage = false;
    const port = await startConversation((socket, line) => {
      if (isMessage) socket.destroy();
      isMessage ||= line === 'DATA';
      socket.write(isMessage ? '354 go on\r\n' : '250 ok\r\n');
    });

    const failure = await failureOf(createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(aMail()));

    expect(failure).toMatch(/closed|ECONNRESET|EPIPE/i);
  });

  test('if the server is too slow', async () => {
    const port = await startConversation(() => {});
    const startedAt = performance.now();

    const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM, timeoutMs: 300 });
    const failure = await failureOf(mailer.send(aMail()));

    expect(failure).toBe('The mail server took more than 0.3 seconds.');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('if a response does not end', async () => {
    const port = await startConversation((socket) => socket.write(`250-${'x'.repeat(20_000)}`));

    const failure = await failureOf(createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM }).send(aMail()));

    expect(failure).toMatch(/response/i);
  });

  test('if nothing listens on the port', async () => {
    const failure = await failureOf(
      createSmtpMailer({ url: 'smtp://owner:s3cret@127.0.0.1:9', from: FROM }).send(aMail()),
    );

    expect(failure).toMatch(/ECONNREFUSED/);
    expect(failure).not.toMatch(/s3cret/);
  });
});

/** Starts a server that greets and passes each line to `respond`. Returns its port. */
async function startConversation(respond: (socket: Socket, line: string) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const line of data.toString().trim().split('\r\n')) respond(socket, line);
    });
    socket.write('220 slow.example ESMTP\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
