import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';

/** A mail as the server took it. */
interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly message: Buffer;
}

/** A mail server on this machine until the test ends. `refuse` may refuse a mail by an error with a `responseCode`. */
export async function startSmtpServer(
  options: SMTPServerOptions = {},
  refuse: (count: number) => Error | undefined = () => undefined,
) {
  const mails: TakenMail[] = [];
  let count = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    async onData(stream, session, done) {
      const message = await buffer(stream);
      count += 1;
      const refusal = refuse(count);
      if (refusal !== undefined) return done(refusal);
      const { mailFrom, rcptTo } = session.envelope;
      mails.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        isEncrypted: session.secure,
        user: session.user,
        message,
      });
      done();
    },
  });
  // What a client breaks off is not an error of the test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, mails };
}

/** A response of the server. */
export function response(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
