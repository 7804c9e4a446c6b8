import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { type Mailer, MailFailed, type NoticeMail, type ReportMail } from '@hitherto/domain/reports';
import { createTransport } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import { LOGO_ID } from './frame.tsx';
import { renderHtml } from './html.tsx';
import { cleanNotice, renderNoticeHtml, renderNoticeText } from './notice.tsx';
import { viewOf } from './report-view.ts';
import { renderText } from './text.ts';

interface SmtpMailerOptions {
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
 * Sends mails over SMTP, each on a connection of its own. `smtps:` verifies the server's certificate. `smtp:` upgrades to
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
  const deliver = async (to: string, raw: Buffer) => {
    const envelope = { from: senderOf(from).address, to: { name: '', address: to } };
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      await transport.sendMail({ raw, envelope, signal: deadline });
    } catch (error) {
      if (deadline.aborted) throw new MailFailed(`The mail server took more than ${timeoutMs / 1000} seconds.`);
      // Not the cause: it may repeat the credentials.
      throw new MailFailed(withoutCredentials(error instanceof Error ? error.message : String(error), server.auth));
    }
  };
  return {
    send: async (mail) => deliver(mail.to, await composeReport(from, mail)),
    notify: async (mail) => deliver(mail.to, await composeNotice(from, mail)),
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

/**
 * The whole message of a report, as it is sent and as a preview shows it (RFC 5322). The same mail makes the same bytes.
 *
 * @param from the sender, as in `MAIL_FROM`: `stats@example.com` or `Statistics <stats@example.com>`
 * @throws TypeError where `from` has no address
 */
export function composeReport(from: string, mail: ReportMail): Promise<Buffer> {
  const view = viewOf(mail);
  return compose(from, mail, {
    subject: view.subject,
    headers: {
      'List-Id': { prepared: true, value: listIdOf(mail.report.websiteId, senderOf(from).address) },
      ...(mail.unsubscribeUrl === undefined ? {} : unsubscribeHeaders(mail.unsubscribeUrl)),
    },
    text: renderText(view),
    html: renderHtml(view),
    logo: view.brand?.logo ?? null,
  });
}

/** The whole message of a notice, as {@link composeReport} makes the message of a report. */
function composeNotice(from: string, mail: NoticeMail): Promise<Buffer> {
  const clean = cleanNotice(mail);
  const { subject, brand } = clean;
  const logo = brand?.logo ?? null;
  return compose(from, mail, {
    subject,
    headers: {},
    text: renderNoticeText(clean),
    html: renderNoticeHtml(clean),
    logo,
  });
}

interface Content {
  readonly subject: string;
  readonly headers: Readonly<Record<string, { readonly prepared: boolean; readonly value: string } | string>>;
  readonly text: string;
  readonly html: string;
  /** A PNG. */
  readonly logo: Uint8Array | null;
}

function compose(
  from: string,
  { to, date, messageId }: Pick<NoticeMail, 'to' | 'date' | 'messageId'>,
  { subject, headers, text, html, logo }: Content,
): Promise<Buffer> {
  return new MailComposer({
    from: senderOf(from),
    // Not parsed: an address is one recipient, whatever it holds.
    to: { name: '', address: to },
    subject,
    date,
    headers: {
      // Not folded: some programs do not find an id on the second line.
      'Message-ID': { prepared: true, value: `<${messageId.replaceAll(/[\s<>]/g, '')}>` },
      'Auto-Submitted': 'auto-generated',
      ...headers,
    },
    text,
    html,
    attachments: logo === null ? [] : [logoPart(logo)],
    baseBoundary: createHash('sha256').update(messageId).digest('hex').slice(0, 32),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** The logo that the HTML shows: a part of the mail, so that nothing is loaded. */
function logoPart(logo: Uint8Array) {
  const content = Buffer.from(logo);
  return {
    cid: LOGO_ID,
    content,
    contentType: 'image/png',
    filename: 'logo.png',
    contentDisposition: 'inline' as const,
  };
}

/** The name and the address of the sender. Throws a `TypeError` where there is no address. */
function senderOf(from: string): { name: string; address: string } {
  const [sender] = addressparser(from, { flatten: true });
  if (sender === undefined || !/^[^\s@]+@[^\s@]+$/.test(sender.address)) {
    throw new TypeError('The sender of reports has no e-mail address.');
  }
  return sender;
}

/** One click is defined for https alone (RFC 8058, section 3.1). */
function unsubscribeHeaders(url: string) {
  const header = { prepared: true, value: `<${new URL(url).href}>` };
  if (!url.startsWith('https://')) return { 'List-Unsubscribe': header };
  return { 'List-Unsubscribe': header, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

/** One list for each website, under the sender's domain (RFC 2919). */
function listIdOf(websiteId: string, from: string): string {
  return `<${websiteId}.reports.${domainToASCII(from.slice(from.lastIndexOf('@') + 1))}>`;
}
