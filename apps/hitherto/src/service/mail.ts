import { type Log, MONOTONIC_CLOCK } from '@hitherto/domain/base';
import type { SendMailsDependencies } from '@hitherto/domain/mails';
import type { LinkMailKind } from '@hitherto/domain/people';
import type { Mailer } from '@hitherto/domain/reports';
import { CONFIRM, INVITATIONS, RESET, youPath } from '@hitherto/pages/paths';
import { type Locale, localeOf } from '@hitherto/words';
import type { OpenedDatabase } from '../installation/database.ts';
import { hasSecretKey } from '../installation/secret-key.ts';
import { SETTINGS, type Settings } from '../installation/settings.ts';

/** How the mail server of the settings is reached. */
interface MailerOptions {
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
  /** The language of mails to people who have chosen none. */
  readonly locale: Locale;
}

/** The mail of these settings; `undefined` if they name no mail server. */
export async function openMail(
  { smtpUrl: url, mailFrom: from, publicUrl: origin, language }: Settings,
  openMailer: OpenMailer,
): Promise<Mail | undefined> {
  if (url === undefined || from === undefined || origin === undefined) return undefined;
  const mailer = await openMailer({ url, from });
  return { mailer, origin, messageHost: new URL(origin).hostname, locale: localeOf(language) };
}

/** Sends mails to people. */
export function openPersonMailSender(
  { mailer, origin, messageHost, locale }: Mail,
  { tasks, people, personLinks, recipients, secrets, access }: OpenedDatabase,
  randomBytes: SendMailsDependencies['randomBytes'],
  now: () => Date,
  onMail: SendMailsDependencies['onMail'],
): SendMailsDependencies {
  const linkOf = (kind: keyof typeof MAIL_PATHS, token: string) => `${origin}${MAIL_PATHS[kind]}/${token}`;
  return {
    tasks,
    people,
    personLinks,
    recipients,
    secrets,
    randomBytes,
    access,
    mailer,
    origin,
    messageHost,
    locale,
    linkOf,
    now,
    clock: MONOTONIC_CLOCK,
    onMail,
  };
}

const MAIL_PATHS: Readonly<Record<LinkMailKind | 'recipient', string>> = {
  recipient: CONFIRM,
  invitation: INVITATIONS,
  password_link: RESET,
  address_link: youPath('address'),
};

/** Logs at the start if people get no links by mail although there is a mail server. */
export function adviseMails(settings: Settings, log: Log): void {
  if (settings.smtpUrl === undefined || hasSecretKey(settings)) return;
  log('warn', `no invitations and no links for new passwords are mailed: ${SETTINGS.secretKey.name} is not set`);
}
