import type { Locale } from '@hitherto/words';
import type { MailBrand } from '../access/mail-brand.ts';
import type { Report } from './report.ts';

/** A report with its recipient. */
export interface ReportMail {
  /** The address of the account. */
  readonly to: string;
  readonly report: Report;
  readonly locale: Locale;
  /** Of the account whose mail it is; absent where it is of none. */
  readonly brand?: MailBrand | undefined;
  /** The statistics page of the period; `undefined` where the installation's address is unknown, as in a preview. */
  readonly pageUrl: string | undefined;
  /** Where one click turns these reports of this website off; `undefined` as above. */
  readonly unsubscribeUrl: string | undefined;
  /** Without angle brackets; the same at every try. */
  readonly messageId: string;
  readonly date: Date;
}

/** A mail about something that happened. Strings are plain, and may come from outside. */
export interface NoticeMail {
  /** The address of the account. */
  readonly to: string;
  readonly locale: Locale;
  /** Of the account whose mail it is; absent where it is of none. */
  readonly brand?: MailBrand | undefined;
  readonly subject: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Lists of values with their numbers. */
  readonly lists: readonly { readonly title: string; readonly rows: readonly NoticeRow[] }[];
  /** Where more is to be seen. */
  readonly link: { readonly label: string; readonly url: string } | undefined;
  /** Without angle brackets; the same at every try. */
  readonly messageId: string;
  readonly date: Date;
}

/** A value, and its formatted number. */
export interface NoticeRow {
  readonly value: string;
  readonly count: string;
}

/** Sends mails. */
export interface Mailer {
  /**
   * Resolves once the mail server has accepted the mail.
   *
   * @throws MailFailed
   */
  send(mail: ReportMail): Promise<void>;

  /** As `send`. */
  notify(mail: NoticeMail): Promise<void>;
}

/** The mail server could not be reached, or did not accept the mail. If the connection broke at the end, it may have. */
export class MailFailed extends Error {
  override readonly name = 'MailFailed';
  readonly code = 'mail_failed';
  /** The event and the server's response, for people: at most 500 characters on one line, no credentials. */
  readonly detail: string;

  constructor(detail: string, options?: ErrorOptions) {
    const line = detail.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
    const bounded = [...line].slice(0, 500).join('');
    super(bounded, options);
    this.detail = bounded;
  }
}
