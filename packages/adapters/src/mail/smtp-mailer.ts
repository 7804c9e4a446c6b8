import { isIP } from 'node:net';
import { type Mailer, MailFailed } from '@hitherto/domain';
import { createTransport } from 'nodemailer';
import { composeReport, senderOf } from './message.ts';

export interface SmtpMailerOptions {
  /** `smtps://user:password@host:port`, or `smtp:`; ports are 465 and 587 unless given. */
  readonly url: string;
  /** The sender, as in `MAIL_FROM`. */
  readonly from: string;
  /** How long sending one mail may take in all, in milliseconds; 2 minutes unless given. */
  readonly timeoutMs?: number;
}

const CONNECTION_TIMEOUT_MS = 15_000;
const SILENCE_TIMEOUT_MS = 60_000;
const SEND_TIMEOUT_MS = 120_000;
const MAX_RESPONSE_BYTES = 16 * 1024;

/**
 * Sends reports over SMTP, each on a connection of its own. `smtps:` verifies the server's certificate. `smtp:` upgrades to
 * TLS where the server offers it; a user's password is sent over verified TLS alone, except to this machine.
 */
export function createSmtpMailer({ url, from, timeoutMs = SEND_TIMEOUT_MS }: SmtpMailerOptions): Mailer {
  const server = serverOf(url);
  const transport = createTransport({
    ...server,
    dnsTimeout: CONNECTION_TIMEOUT_MS,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    greetingTimeout: CONNECTION_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
  });
  return {
    async send(mail) {
      const raw = await composeReport(from, mail);
      const envelope = { from: senderOf(from).address, to: { name: '', address: mail.to } };
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        await transport.sendMail({ raw, envelope, signal: deadline });
      } catch (error) {
        if (deadline.aborted) throw new MailFailed(`The mail server took more than ${timeoutMs / 1000} seconds.`);
        // Not the cause: it may repeat the credentials.
        throw new MailFailed(withoutCredentials(error instanceof Error ? error.message : String(error), server.auth));
      }
    },
  };
}

interface Credentials {
  readonly user: string;
  readonly pass: string;
}

function serverOf(text: string) {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const auth =
    url.username === ''
      ? undefined
      : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const isVerified = secure || (auth !== undefined && !isThisMachine(host));
  return {
    host,
    secure,
    requireTLS: isVerified && !secure,
    // Without a password, encryption that nobody verifies is better than none, as between mail servers (RFC 7435).
    tls: { rejectUnauthorized: isVerified },
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    ...(auth === undefined ? {} : { auth }),
  };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Servers may repeat rejected credentials, as sent or encoded. */
function withoutCredentials(text: string, credentials: Credentials | undefined): string {
  if (credentials === undefined) return text;
  const { user, pass } = credentials;
  const base64 = (secret: string) => Buffer.from(secret).toString('base64');
  return [base64(`\0${user}\0${pass}`), base64(user), base64(pass), user, pass]
    .filter((secret) => secret !== '')
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text);
}
