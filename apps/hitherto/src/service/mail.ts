import type { Mailer } from '@hitherto/domain/reports';
import type { Settings } from '../installation/settings.ts';

/** How the mail server of the settings is reached. */
export interface MailerOptions {
  readonly url: string;
  readonly from: string;
}

export type OpenMailer = (options: MailerOptions) => Promise<Mailer>;

/** The mail server, and what mails need to name. */
export interface Mail {
  readonly mailer: Mailer;
  /** The URL at which people reach the service. */
  readonly origin: string;
  /** The host that Message-IDs end with. */
  readonly messageHost: string;
}

/** The mail of these settings; `undefined` if they name no mail server. */
export async function openMail(
  { smtpUrl: url, mailFrom: from, publicUrl: origin }: Settings,
  openMailer: OpenMailer,
): Promise<Mail | undefined> {
  if (url === undefined || from === undefined || origin === undefined) return undefined;
  return { mailer: await openMailer({ url, from }), origin, messageHost: new URL(origin).hostname };
}
