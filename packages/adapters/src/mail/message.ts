import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { ReportMail } from '@hitherto/domain';
import addressparser from 'nodemailer/lib/addressparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import { renderHtml } from './html.tsx';
import { viewOf } from './report-view.ts';
import { renderText } from './text.ts';

/**
 * The whole message of a report, as it is sent and as a preview shows it (RFC 5322). The same mail makes the same bytes.
 *
 * @param from the sender, as in `MAIL_FROM`: `stats@example.com` or `Statistics <stats@example.com>`
 * @throws TypeError where `from` has no address
 */
export function composeReport(from: string, mail: ReportMail): Promise<Buffer> {
  const view = viewOf(mail);
  const sender = senderOf(from);
  return new MailComposer({
    from: sender,
    // Not parsed: an address is one recipient, whatever it holds.
    to: { name: '', address: mail.to },
    subject: view.subject,
    date: mail.date,
    headers: {
      // Not folded: some programs do not find an id on the second line.
      'Message-ID': { prepared: true, value: `<${mail.messageId.replaceAll(/[\s<>]/g, '')}>` },
      'List-Id': { prepared: true, value: listIdOf(mail.report.websiteId, sender.address) },
      'Auto-Submitted': 'auto-generated',
      ...(mail.unsubscribeUrl === undefined ? {} : unsubscribeHeaders(mail.unsubscribeUrl)),
    },
    text: renderText(view),
    html: renderHtml(view),
    baseBoundary: createHash('sha256').update(mail.messageId).digest('hex').slice(0, 32),
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** The name and the address of the sender. Throws a `TypeError` where there is no address. */
export function senderOf(from: string): { name: string; address: string } {
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
